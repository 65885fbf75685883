import { checkPath, type PublicCheck } from '../../http/public-check.ts';
import { parseDestination } from '../../platform/address.ts';
import type { GuardedFetch } from '../../platform/guarded-fetch.ts';

/**
 * The addresses that this computer's requests come from, as other computers see them. They are usually the router's.
 */
export interface OwnAddresses {
  /** Returns the last known IPv4 address and the last known IPv6 address, if any. */
  list(): readonly string[];
  /** Asks through the public address, over IPv4 and over IPv6. If one of them fails, its last known address stays. */
  learn(): Promise<void>;
  /** Returns whether this server itself responds at the public address. Never rejects. */
  answers(signal: AbortSignal): Promise<boolean>;
}

export interface OwnAddressesDeps {
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
 * Creates the finder of this computer's public addresses. It sends a request to its own public address, and whatever
 * forwards the request (Cloudflare, a reverse proxy) names the address that it came from. Only this process knows the
 * nonce in the request.
 */
export function createOwnAddresses({ check, fetch, base, kept, signal }: OwnAddressesDeps): OwnAddresses {
  const list = () => kept.data.addresses ?? [];
  let running: Promise<void> | null = null;

  async function ask(): Promise<void> {
    const challenge = check.begin();
    const url = `${base()}${checkPath}?nonce=${challenge.nonce}`;
    const options = { maxRedirects: 0, timeoutMs: questionMs, signal };
    // A network without IPv4 or IPv6, or no network at all, is no error here: the self-test reports it.
    await Promise.allSettled(Object.values(versions).map((family) => fetch(url, { ...options, family })));
    challenge.end();
    // Addresses that were just seen take precedence over known ones.
    const known = [...challenge.visitors(), ...list()];
    const found = Object.keys(versions).flatMap(
      (kind) => known.find((address) => parseDestination(address)?.kind() === kind) ?? [],
    );
    if (signal.aborted || found.join() === list().join()) return;
    await kept.update((data) => void (data.addresses = found));
  }

  return {
    list,
    learn() {
      running ??= ask().finally(() => (running = null));
      return running;
    },
    async answers(given) {
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
