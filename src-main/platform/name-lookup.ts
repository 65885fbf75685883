import { lookup, Resolver } from 'node:dns/promises';
import { oneAtATime } from '../storage/one-at-a-time.ts';
import { errorCode } from '../storage/storage-error.ts';

/** Resolves a host name to all of its addresses. Rejects if there are none, or if `signal` aborts. */
export type Lookup = (hostname: string, signal?: AbortSignal) => Promise<readonly string[]>;

export interface NameLookupOptions {
  /** The DNS servers, in the format of Resolver.setServers; the system's servers if absent. */
  readonly servers?: readonly string[];
  /** Whether to resolve names that are not in DNS, such as those in the hosts file. */
  readonly withLocalNames?: boolean;
  /** Replaces the system's own lookup function, which occupies a libuv thread. */
  readonly system?: (hostname: string) => Promise<readonly string[]>;
}

const tryMs = 2000;
const tries = 2;
/** The time limit of a whole lookup, in ms: half the default time limit of a fetch. */
const mostMs = 5000;
/**
 * How long to wait for the addresses of one IP version after the addresses of the other version have arrived, in ms.
 */
const otherVersionMs = 1000;
/** The maximum number of addresses to use for each IP version. A stranger's DNS may return thousands. */
const mostOfVersion = 100;

const missing = ['ENOTFOUND', 'ENODATA'];
const unreachable = 'ECONNREFUSED';
const unanswered = ['ETIMEOUT', 'ECANCELLED', unreachable];

/**
 * Creates a lookup function that queries DNS over its own sockets. While a stranger's DNS server is silent, the
 * system's lookup would occupy one of only four libuv threads, which disk writes need too. So the system's lookup is
 * used for one name at a time, and only if no DNS server is reachable or none has ever responded (some systems don't
 * report their DNS servers). With `withLocalNames`, the system's lookup is also used for names that DNS doesn't have.
 * Rejects with code ENOTFOUND if the name has no address, and with EAI_AGAIN if the result is unknown.
 */
export function createNameLookup(options: NameLookupOptions = {}): Lookup {
  const { servers, withLocalNames = false, system = askSystem } = options;
  const inTurn = oneAtATime();
  let hasAnswered = false;

  return async (hostname, signal) => {
    signal?.throwIfAborted();
    const { addresses, codes } = await askDns(hostname, servers, signal);
    hasAnswered ||= addresses.length > 0 || codes.some((code) => !unanswered.includes(code));
    if (addresses.length > 0) return addresses;
    const isMissing = codes.every((code) => missing.includes(code));
    const isUnreachable = codes.every((code) => code === unreachable);
    if (isUnreachable || !hasAnswered || (isMissing && withLocalNames)) {
      return await inTurn(() => {
        signal?.throwIfAborted();
        return system(hostname);
      });
    }
    const reason = new Error(`DNS has no address of ${hostname}: ${codes.join(', ')}`);
    throw Object.assign(reason, { code: isMissing ? 'ENOTFOUND' : 'EAI_AGAIN' });
  };
}

interface Answers {
  /** The addresses, alternating between IPv4 and IPv6, so that the first few include both versions. */
  readonly addresses: readonly string[];
  /** The error codes of the IP versions whose lookup failed. */
  readonly codes: readonly string[];
}

async function askDns(
  hostname: string,
  servers: readonly string[] | undefined,
  signal: AbortSignal | undefined,
): Promise<Answers> {
  // Each lookup gets a new resolver, so that it can be canceled separately and uses the DNS servers of the current
  // network.
  const resolver = new Resolver({ timeout: tryMs, tries });
  if (servers) resolver.setServers(servers);
  const cancel = (): void => resolver.cancel();
  const timers = [setTimeout(cancel, mostMs)];
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    const asked = [resolver.resolve4(hostname), resolver.resolve6(hostname)];
    void Promise.any(asked).then(
      () => timers.push(setTimeout(cancel, otherVersionMs)),
      () => undefined,
    );
    const outcomes = await Promise.allSettled(asked);
    signal?.throwIfAborted();
    const [four = [], six = []] = outcomes.map((one) => (one.status === 'fulfilled' ? one.value : []));
    return {
      addresses: byTurns(four.slice(0, mostOfVersion), six.slice(0, mostOfVersion)),
      codes: outcomes.flatMap((one) => (one.status === 'rejected' ? [errorCode(one.reason) ?? ''] : [])),
    };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}

/**
 * Merges addresses, alternating between IPv4 and IPv6. IPv4 comes first, because a failed attempt over IPv4 costs less
 * time. On a computer without IPv4, a connection over IPv4 fails at once. On a computer with broken IPv6, a connection
 * over IPv6 takes a second to fail.
 */
function byTurns(four: readonly string[], six: readonly string[]): string[] {
  return Array.from({ length: Math.max(four.length, six.length) }, (_, index) => [four[index], six[index]])
    .flat()
    .filter((address) => address !== undefined);
}

async function askSystem(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}
