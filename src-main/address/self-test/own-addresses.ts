import { checkPath, type PublicCheck } from '../../http/public-check.ts';
import { parseDestination } from '../../platform/address.ts';
import type { GuardedFetch } from '../../platform/guarded-fetch.ts';

interface OwnAddressesDeps {
  readonly check: PublicCheck;
  readonly fetch: GuardedFetch;
  /** Returns the public origin. */
  readonly base: () => string;
  readonly kept: {
    readonly data: { addresses?: string[] };
    update(change: (data: { addresses?: string[] }) => void): Promise<unknown>;
  };
  readonly signal: AbortSignal;
}

const versions = { ipv4: 4, ipv6: 6 } as const;
/** The time limit of one request, in ms. */
const questionMs = 6_000;

/**
 * Creates the functions that find this computer's public IP addresses. These are usually the addresses of the router.
 * The functions send a request to this server's public address. The server that forwards the request (Cloudflare or a
 * reverse proxy) reports the sender's IP address. Nobody else can send such a request, because only this process knows
 * its nonce.
 */
export function createOwnAddresses({ check, fetch, base, kept, signal }: OwnAddressesDeps) {
  const list = (): readonly string[] => kept.data.addresses ?? [];
  let running: Promise<void> | null = null;

  async function ask(): Promise<void> {
    const challenge = check.begin();
    const url = `${base()}${checkPath}?nonce=${challenge.nonce}`;
    const options = { maxRedirects: 0, timeoutMs: questionMs, signal };
    // Ignores failures, because a network may lack IPv4 or IPv6. The self-test reports a missing network.
    await Promise.allSettled(Object.values(versions).map((family) => fetch(url, { ...options, family })));
    challenge.end();
    // A newly found address takes precedence over an earlier address of the same IP version.
    const known = [...challenge.visitors(), ...list()];
    const found = Object.keys(versions).flatMap(
      (kind) => known.find((address) => parseDestination(address)?.kind() === kind) ?? [],
    );
    if (signal.aborted || found.join() === list().join()) return;
    await kept.update((data) => void (data.addresses = found));
  }

  return {
    /** Returns the IPv4 address and the IPv6 address that were found last. Either may be missing. */
    list,
    /** Finds the addresses over IPv4 and over IPv6. If one of these requests fails, keeps the previous address. */
    learn(): Promise<void> {
      running ??= ask().finally(() => (running = null));
      return running;
    },
    /** Returns whether this server itself responds at the public address. Never rejects. */
    async answers(given: AbortSignal): Promise<boolean> {
      const challenge = check.begin();
      try {
        const url = `${base()}${checkPath}?nonce=${challenge.nonce}`;
        const both = AbortSignal.any([signal, given]);
        const answer = await fetch(url, { maxRedirects: 0, timeoutMs: questionMs, signal: both });
        return challenge.sightIn(answer.text()) !== null;
      } catch {
        return false;
      } finally {
        challenge.end();
      }
    },
  };
}
