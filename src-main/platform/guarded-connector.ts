import { isIP, type LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import { addressIsPrivate, bareHost, isLocalhostName } from './address.ts';
import { FetchError } from './fetch-error.ts';
import type { Lookup } from './name-lookup.ts';
import type { OwnNetworks } from './own-networks.ts';

/** Which addresses connections may go to, and how names are resolved. */
export interface AddressRules {
  /** For development and tests only: allows loopback and private addresses. Every other limit stays. */
  readonly allowPrivate: boolean;
  readonly lookup: Lookup;
  /**
   * Returns whether an address is public. Replaced by the tunnel's metrics, which may open loopback and nothing else,
   * and by tests, to let their own server count as public.
   */
  readonly isPublic: (address: string, port: number) => boolean;
  /** The public addresses of this computer's own networks. Connections to them are refused, as to private ones. */
  readonly ownNetworks: OwnNetworks;
  /**
   * Whether an origin is the owner's own. The public can reach such an origin anyway, so it may lead to `ownNetworks`.
   */
  readonly isOwnOrigin: (origin: string) => boolean;
  /** The IP version to connect over; either if absent. */
  readonly family?: 4 | 6 | undefined;
}

// A stranger's DNS may return hundreds of addresses. Trying them all would let the stranger use us as a port scanner.
const triedAddresses = 6;
const nextAddressAfterMs = 1_000;

type Connector = buildConnector.connector;
type Checked = readonly [string, ...string[]];

/**
 * Returns a connector for undici that opens sockets only to checked addresses. It looks the name up once, checks every
 * address, and gives the socket those addresses instead of the name (no DNS rebinding). TLS still names and verifies
 * the host of `url`, the URL of the request. IP literals pass through here too, so nothing bypasses the check.
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
 * Returns all addresses of the host of `url`, each of them allowed.
 * @throws FetchError fetch_refused_address if even one is not allowed: a name with both public and private addresses is
 * an attack or a mistake.
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
  // RFC 6761 section 6.3: these names are loopback, even if a resolver disagrees.
  if (isLocalhostName(host)) return ['127.0.0.1', '::1'];
  return await lookup(host, signal);
}

async function connectorTo(addresses: Checked): Promise<Connector> {
  const undici = await import('undici');
  return undici.buildConnector({
    lookup: answerWith(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressAfterMs,
    rejectUnauthorized: true,
    maxCachedSessions: 0,
    timeout: 0, // The time limit of the whole fetch covers connecting too.
  });
}

/** Replaces the socket's DNS lookup. It returns the checked addresses for any name. */
function answerWith(addresses: Checked): LookupFunction {
  const entries = addresses.slice(0, triedAddresses).map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    if (options.all === true) callback(null, entries);
    else callback(null, addresses[0], isIP(addresses[0]));
  };
}
