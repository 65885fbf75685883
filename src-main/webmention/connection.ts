import { FetchError, type GuardedFetch } from '../platform/guarded-fetch.ts';

export interface Connection {
  /** Fetches, and records whether any server answers. */
  readonly fetch: GuardedFetch;
  /** Returns false if several different servers in a row did not answer. */
  online(): boolean;
}

/** One or two servers may be down. If more don't answer, this computer is probably offline. */
const enough = 3;

/** Watches the results of requests to determine whether this computer is online. */
export function watchConnection(fetch: GuardedFetch): Connection {
  const silent = new Set<string>();
  return {
    online: () => silent.size < enough,
    async fetch(url, options) {
      try {
        const answer = await fetch(url, options);
        silent.clear();
        return answer;
      } catch (error) {
        const code = error instanceof FetchError ? error.code : '';
        if (code === 'fetch_too_large' || code === 'fetch_too_many_redirects') silent.clear();
        const isSilence = code === 'fetch_failed' || code === 'fetch_timeout';
        if (isSilence && silent.size < enough && URL.canParse(url)) silent.add(new URL(url).host);
        throw error;
      }
    },
  };
}
