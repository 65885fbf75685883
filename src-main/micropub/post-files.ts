import { join } from 'node:path';
import type { Log } from '../platform/log.ts';
import type { Pace } from '../platform/pace.ts';
import { boundedCache } from '../storage/bounded-cache.ts';
import type { DurableFileOptions } from '../storage/durable-file.ts';
import type { IndexRow } from './index-line.ts';
import { monthsIn } from './month-folder.ts';
import { openMonthIndex, type MonthIndex } from './month-index.ts';
import { openPostDocument, type PostDocument, type StoredPost } from './post-document.ts';
import { entryOf, matches } from './post-entry.ts';
import type { ListSource } from './post-list.ts';
import { pathOf, placeOf, type Place } from './post-path.ts';
import type { PostFilter } from './post-store.ts';

const openDocuments = 200;
const openMonths = 12;

export interface PostFilesOptions extends Pick<
  DurableFileOptions<unknown>,
  'onRecovered' | 'now' | 'operations'
> {
  /** The folder of all posts. */
  dir: string;
  log?: Pick<Log, 'warn'> | undefined;
}

/** Documents and the indexes of their months, kept in step. What is written is durable, then listed. */
export interface PostFiles extends ListSource {
  read(place: Place): Promise<PostDocument>;
  /** Files a new post under a slug like `wish` that no other has or had. */
  add(month: string, wish: string, post: StoredPost): Promise<Place>;
  replace(place: Place, post: StoredPost): Promise<void>;
  /** Files the post elsewhere; a redirect stays. */
  move(from: Place, to: { month: string; wish: string }, post: StoredPost): Promise<Place>;
  /** Categories of the posts that pass, most used first; the filter must be one that entries can decide. */
  categories(filter?: PostFilter, pace?: Pace): Promise<string[]>;
}

const empty: PostDocument = { post: null, movedTo: null, movedFrom: null };

/** Opens the files in `dir` when they are asked for. */
export function createPostFiles({ dir, log, ...rest }: PostFilesOptions): PostFiles {
  const fileOf = ({ month, slug }: Place) => join(dir, month, `${slug}.json`);
  const documents = boundedCache(openDocuments, (file) => openPostDocument({ ...rest, file }));
  const months = boundedCache(openMonths, (month) =>
    openMonthIndex({
      dir: join(dir, month),
      read: (slug) => rowOf({ month, slug }),
      settle: (slug) => finishMove({ month, slug }),
      log,
    }),
  );

  const read = (place: Place) => documents.use(fileOf(place), ({ data }) => data);

  async function rowOf(place: Place): Promise<IndexRow | null> {
    const { post, movedTo } = await read(place);
    if (post !== null) return entryOf(place, post);
    return movedTo === null ? null : { slug: place.slug, moved: true };
  }

  async function write(place: Place, data: PostDocument): Promise<void> {
    await documents.use(fileOf(place), (document) =>
      document.update((draft) => void Object.assign(draft, data)),
    );
  }

  const recording = <R>(place: Place, work: () => Promise<R>) =>
    months.use(place.month, (index) => index.recording(place.slug, work));

  /** A post that a kill left in both places of its move stays in the new one. */
  async function finishMove(place: Place): Promise<void> {
    const { post, movedFrom } = await read(place);
    const from = post === null || movedFrom === null ? undefined : placeOf(movedFrom);
    if (from === undefined || (await read(from)).post === null) return;
    await write(from, { ...empty, movedTo: pathOf(place) });
  }

  /** Writes a document only where there is none; `then` belongs to it: a kill before its end is seen. */
  async function addDocument(
    index: MonthIndex,
    { month, wish }: { month: string; wish: string },
    data: PostDocument,
    then: (place: Place) => Promise<void> = () => Promise.resolve(),
  ): Promise<Place> {
    const place = { month, slug: index.reserve(wish) };
    try {
      const isNew = await index.recording(place.slug, async () => {
        if (!(await writeNew(place, data))) return false;
        await then(place);
        return true;
      });
      // Somebody put a file there by hand: its slug stays taken.
      return isNew ? place : await addDocument(index, { month, wish }, data, then);
    } catch (error) {
      index.release(place.slug);
      throw error;
    }
  }

  const writeNew = (place: Place, data: PostDocument) =>
    documents.use(fileOf(place), (document) =>
      document.update((draft) => {
        const isNew = draft.post === null && draft.movedTo === null;
        if (isNew) Object.assign(draft, data);
        return isNew;
      }),
    );

  return {
    read,

    add: (month, wish, post) =>
      months.use(month, (index) => addDocument(index, { month, wish }, { ...empty, post })),

    replace: (place, post) =>
      recording(place, () =>
        documents.use(fileOf(place), (document) =>
          document.update((draft) => {
            draft.post = post;
          }),
        ),
      ),

    move: (from, to, post) =>
      recording(from, () =>
        months.use(to.month, (index) =>
          addDocument(index, to, { post, movedTo: null, movedFrom: pathOf(from) }, async (place) => {
            try {
              await write(from, { ...empty, movedTo: pathOf(place) });
            } catch (error) {
              // The post is where it was, and must not be in two places.
              await write(place, { ...empty, movedTo: pathOf(from) });
              throw error;
            }
          }),
        ),
      ),

    months: () => monthsIn(dir),
    entries: (month) => months.use(month, (index) => index.entries()),

    async post(place) {
      try {
        const { post } = await read(place);
        if (post !== null) return post;
        await months.use(place.month, (index) => index.refresh(place.slug));
      } catch (error) {
        log?.warn({ err: error, path: pathOf(place) }, 'a post could not be read');
      }
      return undefined;
    },

    async categories(filter = {}, pace) {
      const counts = new Map<string, number>();
      for (const month of await monthsIn(dir)) {
        await pace?.step();
        const entries = await months.use(month, (index) => index.entries());
        for (const entry of entries) {
          if (matches(entry, filter) !== true) continue;
          for (const name of entry.categories) counts.set(name, (counts.get(name) ?? 0) + 1);
        }
      }
      return [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([name]) => name);
    },
  };
}
