import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import type * as Undici from 'undici';
import { oneAtATime } from '../storage/pacing.ts';
import { errorCode } from '../storage/storage-error.ts';
import {
  type Address,
  addressIsPrivate,
  addressIsPublic,
  bareHost,
  isLocalhostName,
  parseDestination,
} from './address.ts';
import { type Clock, systemClock } from './clock.ts';
import { FetchError } from './fetched-response.ts';

/** The rules for resolving host names, and for the addresses that connections may use. */
export interface AddressRules {
  /** For development and tests only: allows loopback and private addresses. All other limits still apply. */
  readonly allowPrivate: boolean;
  readonly lookup: Lookup;
  /**
   * Returns whether an address is public. The code that reads the tunnel's metrics replaces this check, to allow
   * loopback and nothing else. Tests replace it to treat their own server as public.
   */
  readonly isPublic: (address: string, port: number) => boolean;
  /**
   * The public addresses of this computer's own networks. Connections to them are refused, like connections to private
   * addresses.
   */
  readonly ownNetworks: OwnNetworks;
  /**
   * Returns whether an origin is one of the owner's public addresses. The host name of such an origin may resolve to an
   * address in `ownNetworks`.
   */
  readonly isOwnOrigin: (origin: string) => boolean;
  /** The IP version to connect over; both are allowed if absent. */
  readonly family?: 4 | 6 | undefined;
}

// The maximum number of addresses to try. A stranger's DNS may return hundreds of addresses. Trying all of them would
// let the stranger use this server as a port scanner.
const triedAddresses = 6;
const nextAddressAfterMs = 1_000;

type UsedUndici = Pick<typeof Undici, 'Client' | 'buildConnector'>;
let undici: UsedUndici | undefined;

/**
 * Loads the parts of undici that requests need, when the first request is made, because loading them earlier would delay
 * the app's start. The package's main module would take five times as long: it also loads Node's own copy of undici.
 */
export async function loadUndici(): Promise<UsedUndici> {
  return (undici ??= await importUndici());
}

async function importUndici(): Promise<UsedUndici> {
  const [client, connect, request] = await Promise.all([
    import('undici/lib/dispatcher/client.js'),
    import('undici/lib/core/connect.js'),
    import('undici/lib/api/api-request.js'),
  ]);
  // The main module adds this method, among others.
  client.default.prototype.request = request.default;
  return { Client: client.default, buildConnector: connect.default };
}

export type Connector = Undici.buildConnector.connector;
type Checked = readonly [string, ...string[]];

/**
 * Returns a connector for undici that opens sockets only to checked addresses. The connector resolves the name once,
 * checks every address, and gives the socket these addresses instead of the name, to prevent DNS rebinding. TLS still
 * verifies the host of `url`, the URL of the request. IP literals are checked as well.
 */
export function guardedConnector(url: URL, rules: AddressRules, signal: AbortSignal): Connector {
  return (target, callback) => {
    checkedAddresses(url, rules, signal)
      .then(async (addresses) => {
        const connect = await connectorTo(addresses);
        signal.throwIfAborted();
        connect(target, callback);
      })
      .catch((error: unknown) => {
        callback(error instanceof Error ? error : new FetchError('fetch_failed', error), null);
      });
  };
}

/**
 * Checks that every address of the host of `url` is allowed. Returns the addresses of the IP version in `rules.family`,
 * or all addresses if `rules.family` is absent.
 * @throws FetchError fetch_refused_address if any address is not allowed, because a name with both public and private
 * addresses is an attack or a mistake.
 */
async function checkedAddresses(url: URL, rules: AddressRules, signal: AbortSignal): Promise<Checked> {
  const host = bareHost(url.hostname);
  const found = await addressesOf(host, rules.lookup, signal);
  const refused = found.find((address) => !isAllowed(address, url, rules));
  if (refused !== undefined)
    throw new FetchError('fetch_refused_address', new Error(`${host} is ${refused}`));
  const [first, ...others] = found.filter((address) => (rules.family ?? isIP(address)) === isIP(address));
  if (first === undefined) throw new FetchError('fetch_failed', new Error(`No address for ${host}`));
  return [first, ...others];
}

function isAllowed(address: string, url: URL, rules: AddressRules): boolean {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  if (!rules.isPublic(address, port)) return rules.allowPrivate && addressIsPrivate(address);
  return rules.allowPrivate || !rules.ownNetworks.include(address) || rules.isOwnOrigin(url.origin);
}

async function addressesOf(host: string, lookup: Lookup, signal: AbortSignal): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  // RFC 6761 section 6.3: `localhost` and names under it are loopback, even if a resolver disagrees.
  if (isLocalhostName(host)) return ['127.0.0.1', '::1'];
  return await lookup(host, signal);
}

async function connectorTo(addresses: Checked): Promise<Connector> {
  const { buildConnector } = await loadUndici();
  return buildConnector({
    lookup: answerWith(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressAfterMs,
    rejectUnauthorized: true,
    maxCachedSessions: 0,
    timeout: 0, // The time limit of the whole fetch covers connecting too.
  });
}

/**
 * Returns a function that replaces the socket's DNS lookup. For any name, the function returns the checked addresses.
 */
function answerWith(addresses: Checked): LookupFunction {
  const entries = addresses.slice(0, triedAddresses).map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    if (options.all === true) callback(null, entries);
    else callback(null, addresses[0], isIP(addresses[0]));
  };
}

/** Resolves a host name to all of its addresses. Rejects if there are none, or if `signal` aborts. */
type Lookup = (hostname: string, signal?: AbortSignal) => Promise<readonly string[]>;

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

type OwnNetworks = ReturnType<typeof createOwnNetworks>;

export type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

interface OwnNetworksOptions {
  /** Returns this computer's addresses as they appear to other servers. */
  readonly learnt: () => readonly string[];
  readonly readInterfaces?: () => Interfaces;
  readonly clock?: Clock;
}

type Network = readonly [address: Address, prefix: number];

/**
 * How long the list of network interfaces is cached, in ms. Reading the list is cheap, but should not happen for every
 * link on a page.
 */
const keptMs = 5_000;
/**
 * The shortest IPv4 prefix of a local network, in bits. A shorter prefix comes from a tunnel or a mistake, and is
 * replaced with this length.
 */
const widestIPv4 = 16;
/**
 * The length of the IPv6 prefix that counts as one household, in bits. Internet providers assign a /56 to a household
 * (RIPE-690), and each network in it has a /64.
 */
const homeIPv6 = 56;
const widestIPv6 = 48;

/**
 * Creates a list of this computer's networks. Public addresses in these networks belong to this computer or its
 * neighbors, such as a router or another computer at home. The list contains the networks of this computer's
 * interfaces, and the networks that contain the addresses that `learnt` returns. The interfaces are read again after
 * five seconds, so a new network is soon included.
 */
export function createOwnNetworks(options: OwnNetworksOptions) {
  const { learnt, readInterfaces = networkInterfaces, clock = systemClock } = options;
  let here: readonly Network[] = [];
  let readAt = -Infinity;

  function ofInterfaces(): readonly Network[] {
    if (Math.abs(clock() - readAt) < keptMs) return here;
    try {
      here = networksOf(readInterfaces());
      readAt = clock();
    } catch {
      // Some sandboxes don't allow listing interfaces. Keep the networks known so far.
    }
    return here;
  }

  return {
    /** Returns whether an IP address belongs to one of this computer's networks. */
    include: (text: string): boolean => {
      const address = parseDestination(text);
      if (address === null) return false;
      const networks = [...ofInterfaces(), ...learnt().flatMap((one) => networkOf(one))];
      return networks.some((network) => isIn(address, network));
    },
  };
}

function networksOf(interfaces: Interfaces): Network[] {
  return Object.values(interfaces)
    .flatMap((addresses = []) => addresses)
    .flatMap(({ address, cidr }) => networkOf(address, Number(cidr?.split('/')[1])));
}

/**
 * Returns the network that contains a public address; an empty list for any other address. `prefix`: the length of the
 * address's netmask in bits, if known.
 */
function networkOf(text: string, prefix = NaN): Network[] {
  const address = addressIsPublic(text) ? parseDestination(text) : null;
  if (address === null) return [];
  const most = address.kind() === 'ipv4' ? 32 : 128;
  const bits = prefix >= 0 && prefix <= most ? prefix : most;
  if (address.kind() === 'ipv4') return [[address, Math.max(bits, widestIPv4)]];
  return [[address, Math.max(Math.min(bits, homeIPv6), widestIPv6)]];
}

function isIn(address: Address, [network, prefix]: Network): boolean {
  if (address instanceof ipaddr.IPv4) return network instanceof ipaddr.IPv4 && address.match(network, prefix);
  return network instanceof ipaddr.IPv6 && address.match(network, prefix);
}
