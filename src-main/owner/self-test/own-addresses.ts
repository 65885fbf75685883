import { checkPath, type PublicCheck } from '../../http/public-check.ts';
import { parseDestination } from '../../platform/address.ts';
import type { GuardedFetch } from '../../platform/guarded-fetch.ts';

/** The addresses from which the world sees this computer's requests come, mostly the router's. */
export interface OwnAddresses {
  /** Returns the address last learnt of each version of IP. */
  list(): readonly string[];
  /** Asks through the public address, over IPv4 and over IPv6. What it does not learn stays as it was. */
  learn(): Promise<void>;
  /** Asks whether this very server answers at the public address. Never rejects. */
  answers(signal: AbortSignal): Promise<boolean>;
}

export interface OwnAddressesDeps {
  readonly check: PublicCheck;
  readonly fetch: GuardedFetch;
  /** The public origin. */
  readonly base: () => string;
  readonly kept: {
    readonly data: { addresses?: string[] };
    update(change: (data: { addresses?: string[] }) => void): Promise<unknown>;
  };
  readonly signal: AbortSignal;
}

const versions = { ipv4: 4, ipv6: 6 } as const;
/** For one question, in ms. */
const questionMs = 6_000;

/**
 * Learns this computer's public addresses: its own question comes back through the public address, and whoever passes it
 * on (Cloudflare, a reverse proxy) names the address that it came from. Only this process knows the question's nonce.
 */
export function createOwnAddresses({ check, fetch, base, kept, signal }: OwnAddressesDeps): OwnAddresses {
  const list = () => kept.data.addresses ?? [];
  let running: Promise<void> | null = null;

  async function ask(): Promise<void> {
    const challenge = check.begin();
    const url = `${base()}${checkPath}?nonce=${challenge.nonce}`;
    const options = { maxRedirects: 0, timeoutMs: questionMs, signal };
    // A network without one of the versions, or without any, is no fault: the self-test tells of that.
    await Promise.allSettled(Object.values(versions).map((family) => fetch(url, { ...options, family })));
    challenge.end();
    // What was just seen counts before what was known.
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
