import { cloudflarePermissions } from '../../../src-main/contract/reach.ts';

/**
 * The address of Cloudflare's page for a new API token, with the name and the permissions filled in.
 * Source: developers.cloudflare.com/fundamentals/api/how-to/account-owned-token-template
 */
export const tokenPage = `https://dash.cloudflare.com/profile/api-tokens?permissionGroupKeys=${encodeURIComponent(
  JSON.stringify(cloudflarePermissions.map(({ key, type }) => ({ key, type }))),
)}&accountId=*&zoneId=all&name=Porchlight`;

/** Returns the API token in what was pasted; undefined if it contains none. */
export function apiTokenTyped(text: string): string | undefined {
  const token = text.trim();
  return /^[\x21-\x7E]{1,200}$/.test(token) ? token : undefined;
}

/**
 * Returns the host name in `zone` from what was typed: `porch`, `porch.example.com`, its address, or the domain itself.
 * Cloudflare's free certificates cover only the domain and names with one part before it, so that part has no dots.
 */
export function nameTyped(text: string, zone: string): string | undefined {
  const typed = text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/\/+$/, '');
  if (typed === zone) return zone;
  const name = typed.endsWith(`.${zone}`) ? typed.slice(0, -zone.length - 1) : typed;
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name) ? `${name}.${zone}` : undefined;
}
