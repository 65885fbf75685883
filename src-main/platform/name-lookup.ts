import { lookup, Resolver } from 'node:dns/promises';
import { oneAtATime } from '../storage/one-at-a-time.ts';
import { errorCode } from '../storage/storage-error.ts';

/** Looks up all addresses of a name. Rejects if there are none, or if `signal` aborts. */
export type Lookup = (hostname: string, signal?: AbortSignal) => Promise<readonly string[]>;

export interface NameLookupOptions {
  /** The DNS servers, as Resolver.setServers takes them; the system's if absent. */
  readonly servers?: readonly string[];
  /** Whether to include names that are not in DNS, such as those in the hosts file. */
  readonly withLocalNames?: boolean;
  /** Replaces the system's own lookup, which occupies a libuv thread. */
  readonly system?: (hostname: string) => Promise<readonly string[]>;
}

const tryMs = 2000;
const tries = 2;
/** The time limit of a whole lookup: half the default time limit of a fetch. */
const mostMs = 5000;
/** How long to wait for the other IP version once one has addresses. */
const otherVersionMs = 1000;
/** A stranger's DNS may return thousands of addresses. Only this many of each IP version are used. */
const mostOfVersion = 100;

const missing = ['ENOTFOUND', 'ENODATA'];
const unreachable = 'ECONNREFUSED';
const unanswered = ['ETIMEOUT', 'ECANCELLED', unreachable];

/**
 * Creates a lookup that queries DNS over its own sockets. The system's lookup would occupy a libuv thread for as long
 * as a stranger's DNS server is silent, and disk writes need the same four threads. It is used, for one name at a time,
 * only if no DNS server is reachable or none has ever answered (some systems do not say which servers they use), or for
 * names that DNS lacks if `withLocalNames` is set. Rejects with code ENOTFOUND if the name has no address, and with
 * EAI_AGAIN if that is unknown.
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
  /** The addresses, with IPv4 and IPv6 alternating, so that neither displaces the other from the first few. */
  readonly addresses: readonly string[];
  /** Error codes of the IP versions whose lookup failed. */
  readonly codes: readonly string[];
}

async function askDns(
  hostname: string,
  servers: readonly string[] | undefined,
  signal: AbortSignal | undefined,
): Promise<Answers> {
  // A new resolver for each lookup can be cancelled alone, and knows the DNS servers of the computer's current network.
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
 * Merges IPv4 and IPv6 addresses alternately. IPv4 comes first: on a computer without IPv4, connecting over it fails at
 * once, but broken IPv6 costs a second.
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
