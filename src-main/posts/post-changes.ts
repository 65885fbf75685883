import { closed } from '../contract/shapes.ts';
import type { Log } from '../platform/log.ts';
import { scheduleOf } from '../platform/retry-schedule.ts';
import type { Versions } from '../storage/caches.ts';
import { fullText } from '../storage/records/full-text.ts';
import type { Transaction } from '../storage/records/group-commit.ts';
import type { Records } from '../storage/records/records.ts';
import type { WorkQueue } from '../storage/work/work.ts';
import { postPath, postPlace, type PostPlace } from './post-path.ts';
import { postReads } from './post-reads.ts';
import { postWrites, type PostWrites } from './post-rows.ts';
import { createPostWords } from './post-table.ts';

interface ChangesOptions {
  readonly records: Pick<Records, 'rows' | 'write'>;
  readonly versions: Pick<Versions, 'changed'>;
  readonly log: Pick<Log, 'warn'>;
  /** Called within each change, with the addresses (see addressOfPage) at which there may be another page now. */
  readonly addressesChanged?:
    | ((addresses: readonly string[], transaction: Pick<Transaction, 'run'>) => void)
    | undefined;
  /** The queue that adds the words of long posts later. Without it, they are added within each change. */
  readonly work?: Pick<WorkQueue, 'defineWork'> | undefined;
}

/** How many rows are filed or indexed in one transaction, which takes about 20 ms then. */
export const postsAtOnce = 32;

export type PostChanges = ReturnType<typeof postChanges>;

/** Opens the queries for single posts, and the functions that change and search posts. */
export function postChanges({
  records,
  versions,
  log,
  work,
  addressesChanged = () => undefined,
}: ChangesOptions) {
  const reads = postReads((sql, ...cells) => records.rows((row) => row, sql, ...cells));
  const words = work?.defineWork({
    kind: 'words',
    payload: closed({}),
    retries: scheduleOf('publishing'),
    total: 1,
    async run({ key }) {
      const place = postPlace(key);
      if (place) await changes.write((writes) => writes.addWordsOf(place));
      return { kind: 'done' };
    },
  });
  const changes = fullText<PostWrites>({
    records,
    log,
    table: 'post_words',
    create: createPostWords,
    of: 'posts',
    writesIn: (transaction) =>
      postWrites(transaction, {
        versions,
        addressesChanged,
        wordsLater: words && ((place) => words.addIn(transaction, wordsWork(place))),
      }),
    state: () => reads.state('words'),
    atOnce: postsAtOnce,
  });
  return { reads, ...changes };
}

function wordsWork(place: PostPlace) {
  const key = postPath(place);
  return { key, party: 'owner', host: key, payload: {} };
}
