import { setTimeout } from 'node:timers/promises';
import { PorchlightError } from '../contract/error.ts';
import { turnOf, type Cause } from '../platform/cause.ts';
import { createFairTurns, TurnRefused } from '../platform/fair-turns.ts';
import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import type { Log } from '../platform/log.ts';

/**
 * Returns a small version of an image as a data: URL; null if the image cannot be read. `from`: the visitor who caused
 * the look-up, and the client_id.
 */
export type Shrink = (bytes: Uint8Array, from: Cause) => Promise<string | null>;

const longestWaitMs = 800;

interface LogoDeps {
  readonly fetch: GuardedFetch;
  readonly shrink: Shrink;
  readonly log: Pick<Log, 'warn'>;
}

/** Returns functions that fetch clients' logos in the background, so that no sign-in waits long for a logo. */
export function createClientLogos({ fetch, shrink, log }: LogoDeps) {
  const turns = createFairTurns({ concurrency: 8, perParty: 2, mostWaiting: 50, mostWaitingPerParty: 10 });

  async function fetchLogo(logoUri: string, cause: Cause): Promise<string | null> {
    // The logo may be on another host, such as a CDN. The guarded fetch checks the address of each host.
    const picture = await fetch(logoUri, {
      accept: 'image/*',
      maxRedirects: 3,
      maxBytes: 1024 * 1024,
      timeoutMs: 3000,
    });
    return picture.status === 200 ? shrink(picture.body, cause) : null;
  }

  return {
    /**
     * Resolves with a logo as a data: URL (Client ID Metadata Document, 6.5), or with null if the logo cannot be
     * fetched. Never rejects.
     */
    async fetched(logoUri: string | null, cause: Cause): Promise<string | null> {
      if (logoUri === null) return null;
      try {
        return await turns.run(turnOf(cause), () => fetchLogo(logoUri, cause));
      } catch (error) {
        // A missing logo is not an error.
        if (!(error instanceof PorchlightError || error instanceof TurnRefused))
          log.warn({ err: error, logoUri }, 'The picture of an app could not be fetched.');
        return null;
      }
    },

    /** Resolves with the logo if it arrives within 0.8 s, or else with null. */
    async soon(logo: Promise<string | null>): Promise<string | null> {
      const waiting = new AbortController();
      const tooLate = setTimeout(longestWaitMs, null, { signal: waiting.signal }).catch(() => null);
      try {
        return await Promise.race([logo, tooLate]);
      } finally {
        waiting.abort();
      }
    },
  };
}
