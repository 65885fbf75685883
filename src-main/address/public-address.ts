import { invalidRequest } from '../http/errors.ts';
import type { SettingsPatch } from '../contract/settings.ts';
import type { LinkTag } from '../contract/reach.ts';
import { endpointsOf } from '../http/server-metadata.ts';
import { hostIsLoopback } from '../platform/address.ts';

type TunnelPatch = NonNullable<SettingsPatch['tunnel']>;

// Matches host names (RFC 1123) with at least two labels. The last label must not be a number, so IP addresses don't
// match.
const hostName =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Checks and normalizes the public address that the owner entered.
 * @throws PorchlightError `invalid_request`, with a message for the owner.
 */
export function checkPublicAddress(patch: TunnelPatch): TunnelPatch {
  return {
    ...patch,
    ...(patch.hostname !== undefined && { hostname: hostnameOf(patch.hostname) }),
    ...(patch.publicUrl !== undefined && { publicUrl: publicOriginOf(patch.publicUrl) }),
  };
}

function hostnameOf(text: string): string {
  const name = text.toLowerCase();
  if (name !== '' && !hostName.test(name))
    throw invalidRequest(`“${text}” isn’t a host name. A host name looks like porch.example.com.`);
  return name;
}

function publicOriginOf(text: string): string {
  if (text === '') return '';
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw invalidRequest(
      'The public address isn’t a web address. It should look like https://porch.example.com.',
    );
  if (url.href !== `${url.origin}/`)
    throw invalidRequest(
      'Enter only the start of the public address, such as https://porch.example.com, with nothing after the host name.',
    );
  if (url.protocol === 'http:' && !hostIsLoopback(url.hostname))
    throw invalidRequest(
      'The public address must begin with https://. Without it, anybody on the way could read what apps send.',
    );
  return url.origin;
}

/** Returns whether a host name is that of one of Cloudflare's quick tunnels, which get a new one at every start. */
export const isQuickHost = (hostname: string): boolean => hostname.endsWith('.trycloudflare.com');

/**
 * Returns the link tags for the owner's site, with which apps and other sites find this server. `base`: the public
 * origin.
 */
export function linkTagsOf(base: string): LinkTag[] {
  const endpoints = endpointsOf(base);
  return [
    { rel: 'indieauth-metadata', href: endpoints.metadata },
    { rel: 'authorization_endpoint', href: endpoints.authorization },
    { rel: 'token_endpoint', href: endpoints.token },
    { rel: 'micropub', href: endpoints.micropub },
    { rel: 'webmention', href: endpoints.webmention },
  ];
}
