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
 * Creates the finder of this computer's own IP addresses, as other computers see them: usually those of the router. It
 * sends a request to this server's public address. Whatever forwards the request (Cloudflare, a reverse proxy) names
 * the IP address that the request came from. Only this process knows the nonce in the request.
 */
export function createOwnAddresses({ check, fetch, base, kept, signal }: OwnAddressesDeps) {
  const list = (): readonly string[] => kept.data.addresses ?? [];
  let running: Promise<void> | null = null;

  async function ask(): Promise<void> {
    const challenge = check.begin();
    const url = `${base()}${checkPath}?nonce=${challenge.nonce}`;
    const options = { maxRedirects: 0, timeoutMs: questionMs, signal };
    // Ignore failures: a network may lack IPv4 or IPv6, and the self-test reports if there is no network at all.
    await Promise.allSettled(Object.values(versions).map((family) => fetch(url, { ...options, family })));
    challenge.end();
    // Addresses that were just seen take precedence over those known before.
    const known = [...challenge.visitors(), ...list()];
    const found = Object.keys(versions).flatMap(
      (kind) => known.find((address) => parseDestination(address)?.kind() === kind) ?? [],
    );
    if (signal.aborted || found.join() === list().join()) return;
    await kept.update((data) => void (data.addresses = found));
  }

  return {
    /** Returns the last known IPv4 address and the last known IPv6 address, as far as they are known. */
    list,
    /** Learns the addresses over IPv4 and over IPv6. If one of the two fails, its last known address is kept. */
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
