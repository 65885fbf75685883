import { FetchError, type GuardedFetch } from '../platform/guarded-fetch.ts';

export interface Connection {
  /** Fetches, and remembers whether anybody answers. */
  readonly fetch: GuardedFetch;
  /** False where different servers were asked in a row and none of them answered. */
  online(): boolean;
}

/** One server may be down, and two; when more do not answer it is rather this computer that is not connected. */
const enough = 3;

/** Watches, from what becomes of requests, whether this computer is connected. */
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
