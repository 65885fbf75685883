import { Type, type Static } from 'typebox';
import { closed } from '../contract/shapes.ts';
import type { Clock } from '../platform/clock.ts';
import { siteOfHost } from '../platform/site-name.ts';
import { openDocument, type Document, type DocumentOptions } from '../storage/document.ts';
import { hostOf } from '../mentions/own-sites.ts';

const PictureKind = Type.Union([Type.Literal('avatar'), Type.Literal('photo')]);
export type PictureKind = Static<typeof PictureKind>;

/** A picture that isn't stored here: it is fetched at `next` (ms), or given up after too many attempts. */
const WantedPicture = closed({
  url: Type.String(),
  kind: PictureKind,
  tries: Type.Integer(),
  next: Type.Number(),
});
type WantedPicture = Static<typeof WantedPicture>;

const Waiting = closed({ waiting: Type.Array(WantedPicture) });
export const waitingPicturesFormat = { schema: Waiting, format: 1, initial: { waiting: [] } };

export interface PictureQueueOptions {
  readonly file: string;
  readonly now: Clock;
  readonly onRecovered?: DocumentOptions<typeof Waiting>['onRecovered'];
}

/** The pictures still to fetch. Those that failed stay listed, so that their servers aren't asked for them all day. */
export interface PictureQueue {
  /** Adds URLs that aren't listed yet. Resolves once the list is on disk. */
  add(urls: readonly string[], kind: PictureKind): Promise<void>;
  /** Returns the pictures that have attempts left, due or not. */
  waiting(): Promise<readonly WantedPicture[]>;
  /** Records that a picture is stored here. */
  settle(url: string): Promise<void>;
  /** Records a failed attempt. */
  failed(url: string): Promise<void>;
}

const mostTries = 5;
const pauseMs = 86_400_000;
/** The most pictures to list. A picture that doesn't fit is queued again when it is next shown. */
const mostNoted = 2000;

/**
 * Returns up to `most` pictures in their original order. Sites share the list fairly: the site with the most pictures
 * loses the most, and each site first loses the pictures that failed most often.
 */
function shared(waiting: readonly WantedPicture[], most: number): WantedPicture[] {
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

export function pictureQueue({ file, now, onRecovered }: PictureQueueOptions): PictureQueue {
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
        for (const url of missing) draft.waiting.push({ url, kind, tries: 0, next: now() });
        if (draft.waiting.length > mostNoted) draft.waiting = shared(draft.waiting, mostNoted);
      });
    },

    waiting: async () => (await document()).data.waiting.filter(({ tries }) => tries < mostTries),

    async settle(url) {
      await (
        await document()
      ).update((draft) => {
        draft.waiting = draft.waiting.filter((one) => one.url !== url);
      });
    },

    async failed(url) {
      await (
        await document()
      ).update((draft) => {
        const found = draft.waiting.find((one) => one.url === url);
        if (found) Object.assign(found, { tries: found.tries + 1, next: now() + pauseMs });
      });
    },
  };
}
