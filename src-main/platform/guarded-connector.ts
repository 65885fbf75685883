import { isIP, type LookupFunction } from 'node:net';
import type * as Undici from 'undici';
import { addressIsPrivate, bareHost, isLocalhostName } from './address.ts';
import { FetchError } from './fetch-error.ts';
import type { Lookup } from './name-lookup.ts';
import type { OwnNetworks } from './own-networks.ts';

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

let undici: typeof Undici | undefined;

/**
 * Loads undici when the first request is made, because loading it earlier would delay the app's start. Caches the
 * module, because in the built program, each `import()` would copy all of undici's exports.
 */
export async function loadUndici(): Promise<typeof Undici> {
  return (undici ??= await import('undici'));
}

type Connector = Undici.buildConnector.connector;
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
