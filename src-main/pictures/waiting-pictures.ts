import { createHash } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { choice, closed } from '../contract/shapes.ts';
import type { Clock } from '../platform/clock.ts';
import { attemptsLeft, nextAttempt, plausibleDue, type RetryName } from '../platform/retry-schedule.ts';
import { hostOf, siteOfHost } from '../platform/site-name.ts';
import { openDocument, type Document, type DocumentOptions } from '../storage/document.ts';

const PictureKind = choice('avatar', 'photo');
export type PictureKind = Static<typeof PictureKind>;

/** A picture that isn't stored here: it is fetched at `next` (ms), or was given up after too many attempts. */
const WaitingPicture = closed({
  url: Type.String(),
  /** What the picture shows, if its size depends on it. */
  kind: Type.Optional(PictureKind),
  tries: Type.Integer(),
  next: Type.Number(),
});
export type WaitingPicture = Static<typeof WaitingPicture>;

const Waiting = closed({ waiting: Type.Array(WaitingPicture) });
export const waitingPicturesFormat = { schema: Waiting, format: 1, initial: { waiting: [] } };

export interface WaitingPicturesOptions {
  /** The document that lists the pictures. */
  readonly file: string;
  readonly schedule: RetryName;
  readonly now: Clock;
  readonly onRecovered?: DocumentOptions<typeof Waiting>['onRecovered'];
  /** The most pictures to list. A picture that doesn't fit is queued again when it is next wanted. */
  readonly mostListed?: number | undefined;
}

/** The pictures still to fetch. Those that were given up stay listed, unless they are settled. */
export interface WaitingPictures {
  /** Adds URLs that aren't listed yet. Resolves once the list is on disk. */
  add(urls: readonly string[], kind?: PictureKind): Promise<void>;
  /** Returns the pictures that have attempts left, due or not. */
  waiting(): Promise<readonly WaitingPicture[]>;
  /** Removes a picture from the list. */
  settle(url: string): Promise<void>;
  /** Records a failed attempt. */
  failed(url: string): Promise<void>;
}

/**
 * Returns up to `most` pictures in their original order. Sites share the list fairly: the site with the most pictures
 * loses the most, and each site first loses the pictures that failed most often.
 */
function shared(waiting: readonly WaitingPicture[], most: number): WaitingPicture[] {
  const byTries = waiting.toSorted((a, b) => a.tries - b.tries);
  const ofSites = new Map<string, number>();
  const ranked = byTries.map((one) => {
    const site = siteOfHost(hostOf(new URL(one.url)));
    const rank = ofSites.get(site) ?? 0;
    ofSites.set(site, rank + 1);
    return { one, rank };
  });
  const left = new Set(
    ranked
      .toSorted((a, b) => a.rank - b.rank)
      .slice(0, most)
      .map(({ one }) => one),
  );
  return waiting.filter((one) => left.has(one));
}

/** Returns the name of the file about a picture: a hash, because a URL may be too long or contain forbidden characters. */
export const pictureName = (url: string) => createHash('sha256').update(url).digest('hex');

/** Opens the list in `file` when it is first needed. */
export function waitingPictures(options: WaitingPicturesOptions): WaitingPictures {
  const { file, schedule, now, onRecovered, mostListed = Infinity } = options;
  let opened: Promise<Document<Static<typeof Waiting>>> | undefined;

  function document(): Promise<Document<Static<typeof Waiting>>> {
    opened ??= openDocument({ file, ...waitingPicturesFormat, onRecovered });
    // A failure is not cached, because the disk may work later.
    opened.catch(() => (opened = undefined));
    return opened;
  }

  return {
    async add(urls, kind) {
      const notes = await document();
      const noted = new Set(notes.data.waiting.map(({ url }) => url));
      if (urls.every((url) => noted.has(url))) return;
      await notes.update((draft) => {
        const known = new Set(draft.waiting.map(({ url }) => url));
        const missing = [...new Set(urls)].filter((url) => !known.has(url));
        for (const url of missing) draft.waiting.push({ url, ...(kind && { kind }), tries: 0, next: now() });
        if (draft.waiting.length > mostListed) draft.waiting = shared(draft.waiting, mostListed);
      });
    },

    async waiting() {
      const { waiting } = (await document()).data;
      return waiting
        .filter(({ tries }) => attemptsLeft(schedule, tries) > 0)
        .map((one) => ({ ...one, next: plausibleDue(schedule, one.next, now()) }));
    },

    async settle(url) {
      const notes = await document();
      await notes.update((draft) => {
        draft.waiting = draft.waiting.filter((one) => one.url !== url);
      });
    },

    async failed(url) {
      const notes = await document();
      await notes.update((draft) => {
        const found = draft.waiting.find((one) => one.url === url);
        if (!found) return;
        found.tries += 1;
        found.next = nextAttempt(schedule, { failures: found.tries, now: now() }) ?? now();
      });
    },
  };
}
