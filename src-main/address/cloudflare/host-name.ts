import { domainToASCII } from 'node:url';
import { invalidRequest } from '../../http/errors.ts';
import type { CloudflareApi } from './api.ts';
import type { ApiRecord, ApiRoute, ApiZone } from './answers.ts';
import { checkPublicAddress } from '../public-address.ts';
import { type CloudflareSetup, resourceId, tunnelHost } from './record.ts';

/**
 * Checks and normalizes a host name for a domain at Cloudflare. The host name must be the domain itself or a name one
 * level below the domain.
 * @throws PorchlightError `invalid_request`, with a message for the owner
 */
export function hostnameInZone(text: string, zoneName: string): string {
  const zone = domainToASCII(zoneName);
  const entered = text.trim();
  const name = checkPublicAddress({ hostname: domainToASCII(entered) || entered }).hostname ?? '';
  if (name === zone) return name;
  if (name === '' || !name.endsWith(`.${zone}`))
    throw invalidRequest(
      `“${text}” isn’t below ${zone}. Enter a name like porch.${zone}, or ${zone} itself.`,
    );
  if (name.slice(0, -zone.length - 1).includes('.'))
    throw invalidRequest(
      `Cloudflare’s free certificate covers only names one level below ${zone}, such as porch.${zone}. Enter a name without another dot.`,
    );
  return name;
}

/** The types of DNS records that conflict with the tunnel's CNAME record under the same name. */
const exclusive = ['A', 'AAAA', 'CNAME', 'NS'];

/**
 * Returns a DNS record that conflicts with the tunnel's CNAME record; undefined if there is none. `ours`: the content
 * of Porchlight's own record. `isDomain`: whether the name is the domain itself. If it is, NS records don't conflict,
 * because Cloudflare flattens the CNAME record (developers.cloudflare.com/dns/cname-flattening).
 */
function foreignRecord(
  records: readonly ApiRecord[],
  { ours, isDomain }: { ours: string | null; isDomain: boolean },
): ApiRecord | undefined {
  return records.find(({ type, content }) => {
    const isInTheWay = exclusive.includes(type) && !(isDomain && type === 'NS');
    return isInTheWay && !(ours !== null && content === ours);
  });
}

/**
 * Returns a route that sends the host's requests to another Worker; undefined if there is none. `ours`: the name of
 * Porchlight's own Worker.
 */
export function foreignRoute(
  routes: readonly ApiRoute[],
  hostname: string,
  ours: string | null,
): ApiRoute | undefined {
  return routes.find(({ pattern, script }) => {
    const isOurs = ours !== null && script === ours;
    return !isOurs && covers(pattern, hostname);
  });
}

/** Returns whether a route's pattern matches a host. The host in the pattern may begin with `*`. */
function covers(pattern: string, hostname: string): boolean {
  const host =
    pattern
      .replace(/^(?:https?|\*):\/\//, '')
      .split('/', 1)[0]
      ?.toLowerCase() ?? '';
  return host.startsWith('*') ? hostname.endsWith(host.slice(1)) : host === hostname;
}

/** Returns a message that tells the owner which record or route already uses a name. */
export function takenWords(
  hostname: string,
  taken: { record?: ApiRecord | undefined; route?: ApiRoute | undefined },
): string {
  const what = taken.record
    ? `it has a DNS record (${taken.record.type})`
    : `the Worker route ${taken.route?.pattern ?? ''} covers it`;
  return `${hostname} is already in use: ${what}. Choose another name, or remove that entry in Cloudflare’s dashboard first.`;
}

/** Returns why a domain can't be used yet, as a message for the owner; null if it can be used. */
export function inactiveWords({ name, status }: ApiZone): string | null {
  if (status === 'active') return null;
  return `The domain ${name} isn’t active at Cloudflare yet. Set its name servers to those that Cloudflare’s dashboard shows, wait until Cloudflare reports that it is active, and try again.`;
}

/**
 * Returns a message that names the DNS record or route that already uses a name; null if the name is free. Ignores
 * Porchlight's own record and route, which `setup` names.
 */
export async function nameTaken(
  api: CloudflareApi,
  { id: zoneId, name: domain }: ApiZone,
  hostname: string,
  setup: CloudflareSetup | null,
): Promise<string | null> {
  const tunnelId = resourceId(setup?.tunnel);
  const ours = tunnelId === null ? null : tunnelHost(tunnelId);
  const isDomain = domainToASCII(domain) === hostname;
  const record = foreignRecord(await api.records(zoneId, hostname), { ours, isDomain });
  if (record) return takenWords(hostname, { record });
  const route = foreignRoute(await api.routes(zoneId), hostname, setup?.worker?.name ?? null);
  return route ? takenWords(hostname, { route }) : null;
}
