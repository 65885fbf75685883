import { addressIsPublic } from '../../src-main/platform/address.ts';
import { createGuardedFetch } from '../../src-main/platform/guarded-fetch.ts';

/**
 * The real guarded fetch, for which one loopback port is "the public internet" and everything else is as it is.
 * `names` is its DNS: a list of answers per name, one per look, the last one for good.
 */
export function publicFetch(publicPort: number, names: Record<string, readonly string[][]> = {}) {
  const lookups: string[] = [];
  const fetch = createGuardedFetch({
    allowPrivate: false,
    userAgent: 'Porchlight/test (IndieWeb server; Webmention)',
    lookup: (name) => {
      const answers = names[name] ?? [];
      const answer = answers[Math.min(lookups.filter((one) => one === name).length, answers.length - 1)];
      lookups.push(name);
      if (answer !== undefined) return Promise.resolve(answer);
      return Promise.reject(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }));
    },
    isPublic: (address, port) => addressIsPublic(address) || (address === '127.0.0.1' && port === publicPort),
  });
  return { fetch, lookups };
}
