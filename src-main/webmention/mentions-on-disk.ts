import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import type { Log } from '../platform/log.ts';
import { boundedCache } from '../storage/bounded-cache.ts';
import { updateForGood } from '../storage/document.ts';
import type { DurableFileOptions } from '../storage/durable-file.ts';
import { decided, decisionBetween, undone } from './decisions.ts';
import { createMentionIndex } from './mention-index.ts';
import { createMentionQueries } from './mention-queries.ts';
import type { Kept, KeepOptions, MentionStore, NewMention } from './mention-store.ts';
import { bytesOf } from './mention-size.ts';
import { pageOfTarget, type Mention } from './mention.ts';
import { restored, withStatus } from './moderation.ts';
import { ownSites, type OwnSites } from './own-sites.ts';
import {
  mentionId,
  openPageDocument,
  pageFile,
  pageKeyOf,
  pageKeyOfId,
  type PageDocument,
} from './page-document.ts';
import { alreadyKept, asJson, keepIn, mentionOf } from './page-mentions.ts';
import { measurePage } from './page-room.ts';
import { openSequence } from './sequence.ts';

export interface MentionStoreOptions extends Pick<DurableFileOptions<unknown>, 'onRecovered' | 'operations'> {
  /** The folder of all webmentions. */
  dir: string;
  /** In ms. */
  now: () => number;
  log: Pick<Log, 'warn'>;
  /** The owner's own sites, whose mentions are not counted; none where absent. */
  ownSites?: (() => OwnSites) | undefined;
  /** A text that no other mention of the page has, without spaces. */
  newId?: (() => string) | undefined;
}

/**
 * Pages that stay in memory: so many, and of so many bytes of JSON together (some 50,000 mentions). Readers of everything
 * go by date, from page to page and back, and would open large ones again for each mention.
 */
const openDocuments = 200;
const openBytes = 128 * 1024 * 1024;
/** Pages written at a time. */
const writers = 8;

/**
 * The mentions in `dir`, one document a page that was mentioned. Nothing is read before it is asked for. Make it once
 * in a process.
 *
 * Its methods throw PorchlightError: `not_found` (404) where there is no such mention to change, `invalid_request` on
 * a cursor that is not one of ours, `storage_full`, `storage_unwritable`, and what opening a document throws.
 */
export function createMentionStore(options: MentionStoreOptions): MentionStore {
  const {
    dir,
    now,
    log,
    operations,
    onRecovered,
    newId = randomText,
    ownSites: own = () => nobody,
  } = options;
  const files = { operations, now: () => new Date(now()) };
  const moment = () => new Date(now()).toISOString();

  const openPage = (page: string) =>
    openPageDocument({
      ...files,
      file: pageFile(dir, page),
      onRecovered:
        onRecovered &&
        (async (recovery) => {
          await index.distrust(page);
          await onRecovered(recovery);
        }),
    });
  const documents = boundedCache(openDocuments, openPage, {
    most: openBytes,
    of: ({ data }) => data.mentions.reduce((sum, mention) => sum + bytesOf(mention), 0),
  });
  const read = (page: string) => documents.use(page, ({ data }) => data);
  const index = createMentionIndex({ dir, read, log });
  const queries = createMentionQueries({ index, read, log, ownSites: own });
  // Opened when the first number is needed; one small document.
  const sequences = boundedCache(1, (file) =>
    openSequence({ ...files, file, onRecovered, highest: queries.highestNumber }),
  );
  const sequenceFile = join(dir, 'sequence.json');
  const nextNumber = () => sequences.use(sequenceFile, (sequence) => sequence.next());

  /** Answers what was kept, in its place; undefined for what the page has no room for. */
  async function keepOnPage(
    page: string,
    wanted: readonly NewMention[],
    { most }: KeepOptions,
  ): Promise<(Kept | undefined)[]> {
    const kept = alreadyKept(await read(page), wanted, { now: moment(), most });
    if (kept) return kept;
    return index.changing(page, () =>
      documents.use(page, async (document) => {
        const numbers: number[] = [];
        for (const one of wanted) {
          // What is there keeps its number.
          numbers.push(one.wmId ?? (mentionOf(document.data, one)?.wmId || (await nextNumber())));
        }
        const changes = await document.update((draft) => {
          draft.target = pageOfTarget(wanted[0]?.target ?? draft.target);
          const room = measurePage(draft.mentions);
          return wanted.map((one, at) => {
            const fresh = { id: mentionId(page, newId()), wmId: numbers[at] ?? 0, now: moment() };
            return keepIn(draft, one, { ...fresh, room, most });
          });
        });
        return {
          result: changes.map((change) => change?.kept),
          changed: changes.flatMap((change) => (change ? [change.before ?? change.kept.mention] : [])),
        };
      }),
    );
  }

  async function keepAll(given: readonly NewMention[], options: KeepOptions = {}): Promise<Kept[]> {
    const pages = new Map<string, { wanted: NewMention[]; places: number[] }>();
    for (const [place, one] of given.entries()) {
      const page = pageKeyOf(one.target);
      const { wanted, places } = pages.get(page) ?? { wanted: [], places: [] };
      pages.set(page, { wanted: [...wanted, asJson(one)], places: [...places, place] });
    }
    const highest = given.reduce((number, { wmId = 0 }) => Math.max(number, wmId), 0);
    if (highest > 0) await sequences.use(sequenceFile, (sequence) => sequence.raise(highest));

    const all: (Kept | undefined)[] = [];
    const waiting = [...pages];
    async function write(): Promise<void> {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [page, { wanted, places }] = next;
        const kept = await keepOnPage(page, wanted, options);
        for (const [at, one] of kept.entries()) all[places[at] ?? 0] = one;
      }
    }
    await Promise.all(Array.from({ length: writers }, write));
    return all.filter((kept) => kept !== undefined);
  }

  /** Changes mentions in one write per page. Answers each that changed, as it was and as it is, and the failures. */
  async function changeAll(
    ids: readonly string[],
    next: (before: Mention) => Mention,
  ): Promise<{ changes: { before: Mention; after: Mention }[]; failures: unknown[] }> {
    const changes: { before: Mention; after: Mention }[] = [];
    const failures: unknown[] = [];
    const pages = new Map<string, string[]>();
    for (const id of new Set(ids)) {
      const page = pageKeyOfId(id);
      if (page === undefined) failures.push(notFound());
      else pages.set(page, [...(pages.get(page) ?? []), id]);
    }
    for (const [page, some] of pages) {
      const done = await changeOnPage(page, some, next);
      changes.push(...done.changes);
      failures.push(...done.failures);
    }
    return { changes, failures };
  }

  async function changeOnPage(page: string, ids: readonly string[], next: (before: Mention) => Mention) {
    const tried = attempts(await read(page), ids, next);
    if (tried.changes.length === 0) return tried;
    return index.changing(page, () =>
      documents.use(page, (document) => {
        const change = (draft: PageDocument) => {
          const done = attempts(draft, ids, next);
          for (const { before, after } of done.changes)
            draft.mentions[draft.mentions.indexOf(before)] = after;
          return { result: done, changed: done.changes.map(({ before }) => before) };
        };
        const hides = tried.changes.some(({ after }) => after.status !== 'approved');
        return hides ? updateForGood(document, change) : document.update(change);
      }),
    );
  }

  async function change(id: string, next: (before: Mention) => Mention): Promise<Mention> {
    const { changes, failures } = await changeAll([id], next);
    if (failures.length > 0) throw failures[0];
    const now = changes[0]?.after ?? (await queries.answers.get(id));
    if (now === undefined) throw notFound();
    return now;
  }

  return {
    async keep(mention, keepOptions) {
      const [kept] = await keepAll([mention], keepOptions);
      if (kept === undefined) throw pageFull();
      return kept;
    },
    keepAll: (all) => keepAll(all),
    setStatus: (id, status, by) => change(id, (before) => withStatus(before, status, by, moment())),
    restore: (id) => change(id, (before) => restored(before, moment())),
    async decideAll(ids, decision) {
      const { changes, failures } = await changeAll(ids, (before) => decided(before, decision, moment()));
      return {
        changed: changes.map(({ before, after }) => ({
          mention: after,
          decided: decisionBetween(before, after),
        })),
        refused: failures.length,
      };
    },
    async undoAll(all) {
      const byId = new Map(all.map((one) => [one.id, one]));
      const { changes } = await changeAll([...byId.keys()], (mention) => {
        const one = byId.get(mention.id);
        return one ? undone(mention, one) : mention;
      });
      return changes.map(({ after }) => after);
    },
    ...queries.answers,
  };
}

/** Tries a change on mentions of a page. Nothing is changed yet: a mention is replaced, never edited. */
function attempts(page: Readonly<PageDocument>, ids: readonly string[], next: (before: Mention) => Mention) {
  const changes: { before: Mention; after: Mention }[] = [];
  const failures: unknown[] = [];
  for (const id of ids) {
    const before = page.mentions.find((one) => one.id === id);
    try {
      if (before === undefined) throw notFound();
      const after = next(before);
      if (after !== before) changes.push({ before, after });
    } catch (error) {
      failures.push(error);
    }
  }
  return { changes, failures };
}

const nobody = ownSites({ base: '', me: null, hosts: [] });

const randomText = () => randomBytes(9).toString('base64url');

const pageFull = () =>
  new PorchlightError(
    'page_full',
    'This page has reached its limit of mentions, in total or from this site.',
    503,
  );

const notFound = () => new PorchlightError('not_found', 'This mention no longer exists.', 404);
