import { lookup, Resolver } from 'node:dns/promises';
import { oneAtATime } from './one-at-a-time.ts';

/** Asks for every address of a name. Rejects when there is none, and when `signal` says that nobody waits any more. */
export type Lookup = (hostname: string, signal?: AbortSignal) => Promise<readonly string[]>;

export interface NameLookupOptions {
  /** The DNS servers, as Resolver.setServers takes them; the system's where absent. */
  readonly servers?: readonly string[];
  /** True where names that DNS does not have count too, such as those of the hosts file. */
  readonly withLocalNames?: boolean;
  /** Stands in for the system's own lookup, which takes a thread of libuv's. */
  readonly system?: (hostname: string) => Promise<readonly string[]>;
}

const tryMs = 2000;
const tries = 2;
/** The whole of a lookup: half of what a fetch may take. */
const mostMs = 5000;
/** How long the other version of IP is waited for once one has addresses. */
const otherVersionMs = 1000;
/** A stranger's DNS may answer with thousands of addresses. Those beyond are not used. */
const mostOfVersion = 100;

const missing = ['ENOTFOUND', 'ENODATA'];
const unreachable = 'ECONNREFUSED';
const unanswered = ['ETIMEOUT', 'ECANCELLED', unreachable];

/**
 * Makes a lookup that asks DNS over sockets of its own. The system's lookup would take a thread of libuv's for as long
 * as a stranger's DNS server is silent, and disk writes wait for the same four threads. It is asked only where no DNS
 * server has ever answered, as on a system that does not tell which servers it has, and for one name at a time.
 * Rejects with code ENOTFOUND where the name has no address, and EAI_AGAIN where that is not known.
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
  /** Versions of IP by turns, so that neither pushes the other out of the first few. */
  readonly addresses: readonly string[];
  /** Why a version of IP has none. */
  readonly codes: readonly string[];
}

async function askDns(
  hostname: string,
  servers: readonly string[] | undefined,
  signal: AbortSignal | undefined,
): Promise<Answers> {
  // One for each lookup: it can be cancelled alone, and it knows the servers of the network that the computer is in now.
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
      codes: outcomes.flatMap((one) => (one.status === 'rejected' ? [codeOf(one.reason)] : [])),
    };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}

/** IPv4 comes first: where a computer has none, connecting fails at once, but a broken IPv6 costs a second. */
function byTurns(four: readonly string[], six: readonly string[]): string[] {
  return Array.from({ length: Math.max(four.length, six.length) }, (_, index) => [four[index], six[index]])
    .flat()
    .filter((address) => address !== undefined);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

async function askSystem(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}
