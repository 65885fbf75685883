import { FetchError, type GuardedFetch } from './guarded-fetch.ts';

/**
 * How many different servers in a row must fail to respond before this computer counts as offline. One or two servers
 * may simply be down.
 */
const enough = 3;
/** After another server has reached this one, this computer counts as online for so long, in ms: two minutes. */
const recentlyMs = 120_000;

/** Watches the results of requests to determine whether this computer is online. `steady`: a monotonic clock, in ms. */
export function watchConnection(fetch: GuardedFetch, steady = () => performance.now()) {
  let reachedAt = -Infinity;
  const silent = new Set<string>();
  const watched: GuardedFetch = async (url, options) => {
    try {
      const answer = await fetch(url, options);
      silent.clear();
      return answer;
    } catch (error) {
      const code = error instanceof FetchError ? error.code : undefined;
      if (code === 'fetch_too_large' || code === 'fetch_too_many_redirects') silent.clear();
      const isSilence = code === 'fetch_failed' || code === 'fetch_timeout';
      if (isSilence && silent.size < enough && URL.canParse(url)) silent.add(new URL(url).host);
      throw error;
    }
  };
  return {
    /** Fetches a URL, and records whether the server responded. */
    fetch: watched,
    /** Returns false if the last requests to several different servers got no response. */
    online: () => silent.size < enough || steady() - reachedAt < recentlyMs,
    /** Records that another server has reached this one. */
    reached: () => void (reachedAt = steady()),
  };
}
