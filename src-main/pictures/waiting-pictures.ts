import { createHash } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { choice, closed } from '../contract/shapes.ts';
import type { Clock } from '../platform/clock.ts';
import { attemptsLeft, nextAttempt, plausibleDue, type RetryName } from '../platform/retry-schedule.ts';
import { hostOf, siteOfHost } from '../platform/site-name.ts';
import { openDocument, type Document, type DocumentOptions } from '../storage/document.ts';

const PictureKind = choice('avatar', 'photo');
export type PictureKind = Static<typeof PictureKind>;

/**
 * A picture that isn't stored yet. Porchlight fetches the picture at the time `next` (ms), unless no attempts are left.
 */
const WaitingPicture = closed({
  url: Type.String(),
  /** The kind of picture, if the size of the stored copy depends on it. */
  kind: Type.Optional(PictureKind),
  tries: Type.Integer(),
  next: Type.Number(),
});
export type WaitingPicture = Static<typeof WaitingPicture>;

const Waiting = closed({ waiting: Type.Array(WaitingPicture) });
export const waitingPicturesFormat = { schema: Waiting, format: 1, initial: { waiting: [] } };

export interface WaitingPicturesOptions {
  /** The path of the document that lists the pictures. */
  readonly file: string;
  readonly schedule: RetryName;
  readonly now: Clock;
  readonly onRecovered?: DocumentOptions<typeof Waiting>['onRecovered'];
  /** The maximum number of listed pictures. A picture that doesn't fit is dropped until it is requested again. */
  readonly mostListed?: number | undefined;
}

/** The list of pictures to fetch. Pictures that Porchlight gave up on stay listed until `settle` removes them. */
export interface WaitingPictures {
  /** Adds the URLs that aren't listed yet. Resolves with the added pictures once the list is on disk. */
  add(urls: readonly string[], kind?: PictureKind): Promise<readonly WaitingPicture[]>;
  /** Returns the pictures that have attempts left, including those that aren't due yet. */
  waiting(): Promise<readonly WaitingPicture[]>;
  /**
   * Removes a picture from the list, but saves the removal later. That is safe, because a stored picture isn't fetched
   * again.
   */
  settle(url: string): void;
  /** Records a failed attempt to fetch a picture. */
  failed(url: string): Promise<void>;
  /** Resolves once all changes are on disk. */
  close(): Promise<void>;
}

/**
 * Returns at most `most` pictures, in their original order. Shares the list fairly among sites: those with the most
 * pictures lose the most, starting with the pictures that failed most often.
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

/**
 * Returns the file name for data about the picture at a URL. The name is a hash of the URL, because a URL may be too
 * long or contain forbidden characters.
 */
export const pictureName = (url: string) => createHash('sha256').update(url).digest('hex');

type Edit = (draft: Static<typeof Waiting>) => void;
/** How long `settle` waits before it saves removals from the list, in ms. */
const settleMs = 1000;

/** Creates the list of pictures. The document in `file` is opened on first use. */
export function waitingPictures(options: WaitingPicturesOptions): WaitingPictures {
  const { file, schedule, now, onRecovered, mostListed = Infinity } = options;
  let opened: Promise<Document<Static<typeof Waiting>>> | undefined;
  /**
   * `next`: the planned write that hasn't started yet, with the changes that it will save. `last`: resolves when the
   * most recently planned write ends.
   */
  let next: { readonly edits: Edit[]; readonly done: Promise<void> } | undefined;
  let last: Promise<void> = Promise.resolve();
  const settled = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function document(): Promise<Document<Static<typeof Waiting>>> {
    opened ??= openDocument({ file, ...waitingPicturesFormat, onRecovered });
    // A failure to open the document is not cached, because a later attempt may succeed.
    opened.catch(() => (opened = undefined));
    return opened;
  }

  /**
   * Changes the list. Changes that arrive during a write are saved together, because a large import makes thousands of
   * them.
   */
  function change(edit: Edit): Promise<void> {
    if (next === undefined) {
      const edits: Edit[] = [];
      const done = last.then(async () => {
        next = undefined;
        const notes = await document();
        const gone = new Set(settled);
        await notes.update((draft) => {
          draft.waiting = draft.waiting.filter(({ url }) => !gone.has(url));
          for (const each of edits) each(draft);
        });
        for (const url of gone) settled.delete(url);
      });
      last = done.catch(() => undefined);
      next = { edits, done };
    }
    next.edits.push(edit);
    return next.done;
  }

  const writeSettled = () => (settled.size === 0 ? last : change(() => undefined).catch(() => undefined));

  return {
    async add(urls, kind) {
      const notes = await document();
      const noted = new Set(notes.data.waiting.map(({ url }) => url));
      if (urls.every((url) => noted.has(url) && !settled.has(url))) return [];
      let added: WaitingPicture[] = [];
      await change((draft) => {
        const known = new Set(draft.waiting.map(({ url }) => url));
        const missing = [...new Set(urls)].filter((url) => !known.has(url));
        added = missing.map((url) => ({ url, ...(kind && { kind }), tries: 0, next: now() }));
        draft.waiting.push(...added);
        if (draft.waiting.length <= mostListed) return;
        draft.waiting = shared(draft.waiting, mostListed);
        added = added.filter((one) => draft.waiting.includes(one));
      });
      return added;
    },

    async waiting() {
      const { waiting } = (await document()).data;
      return waiting
        .filter(({ url, tries }) => !settled.has(url) && attemptsLeft(schedule, tries) > 0)
        .map((one) => ({ ...one, next: plausibleDue(schedule, one.next, now()) }));
    },

    settle(url) {
      settled.add(url);
      timer ??= setTimeout(() => {
        timer = undefined;
        void writeSettled();
      }, settleMs).unref();
    },

    failed: (url) =>
      change((draft) => {
        const found = draft.waiting.find((one) => one.url === url);
        if (!found) return;
        found.tries += 1;
        found.next = nextAttempt(schedule, { failures: found.tries, now: now() }) ?? now();
      }),

    async close() {
      clearTimeout(timer);
      await writeSettled();
    },
  };
}
