import type { LinkTag } from '../contract/setup.ts';
import { endpointsOf } from '../http/server-metadata.ts';

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
