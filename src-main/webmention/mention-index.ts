import type { MentionType } from '../contract/webmentions.ts';
import { oneAtATime } from '../platform/one-at-a-time.ts';
import type { Log } from '../platform/log.ts';
import { coalesced } from '../storage/coalesce.ts';
import { countedRows, type MonthCounts } from './mention-counts.ts';
import { indexFile, openIndexFiles, partsIn, type IndexFiles } from './mention-index-files.ts';
import { openDirtyMarks } from './mention-index-marks.ts';
import { pageRowOf, type PageRow } from './mention-index-pages.ts';
import type { IndexPart } from './mention-index-part.ts';
import { isMentionRow, isMonth, isRange, rangeStart, rowsOf, type IndexRow } from './mention-index-row.ts';
import type { Mention } from './mention.ts';
import type { OwnSites } from './own-sites.ts';
import type { PageDocument } from './page-document.ts';
import { mentionById } from './page-mentions.ts';

export interface MentionIndexOptions {
  /** The folder of all webmentions; the index is in `index/`. */
  dir: string;
  /** Reads the document of a page. */
  read: (page: string) => Promise<PageDocument>;
  log: Pick<Log, 'warn'>;
}

type Kind = `${MentionType} ${Mention['status']}`;
/** How many mentions a month has, by type and status. */
export type Tally = ReadonlyMap<Kind, number>;

/**
 * What the mentions are, without their documents. All of it is derived: it is made anew where it is missing, has lines
 * that cannot be read, or where a kill came between a document and its lines.
 *
 * Files in `index/`, of JSON lines: `pages.jsonl`, a line a page; `2026-11.jsonl`, a line a mention received in that
 * month; `imported-3.jsonl`, a line an imported mention with a number from 30000 to 39999; `dirty.jsonl`: before a
 * page's document changes it is marked there, and unmarked once the lines above say what it holds. Pages that are
 * still marked when the index is opened are read again.
 */
export interface MentionIndex {
  /**
   * Runs `work`, which changes the document of a page and answers the changed mentions as they were (those that are
   * new, as they are); then lists what the document holds now.
   */
  changing<R>(page: string, work: () => Promise<{ result: R; changed: readonly Mention[] }>): Promise<R>;
  /** Makes sure that a page is read again before the index is next used: its document is not what it was. */
  distrust(page: string): Promise<void>;
  /** The months that have mentions, oldest first. */
  months(): Promise<string[]>;
  /** The ranges that have imported mentions, lowest first; see rangeOf. */
  ranges(): Promise<string[]>;
  /** Uses a part of the index while it is open; see rowsOf. */
  part<R>(name: string, use: (part: IndexPart) => R): Promise<R>;
  tally(month: string): Promise<Tally>;
  /** What is counted of a month for the owner; see MonthCounts. */
  counts(month: string, own: OwnSites): Promise<MonthCounts>;
  /** The hosts of which the owner approved a mention by hand that was received in this month. */
  approvedHosts(month: string): Promise<ReadonlySet<string>>;
  /** A row a page, in no order. */
  pages(): Promise<PageRow[]>;
}

/** Makes the index; nothing is read before it is used. Make it once in a process. */
export function createMentionIndex({ dir, read, log }: MentionIndexOptions): MentionIndex {
  // Lines are written in the order in which documents are read, so that the last line is the newest.
  const turn = oneAtATime();
  const tallies = new Map<string, Tally>();
  const hosts = new Map<string, ReadonlySet<string>>();
  const counted = new Map<string, { readonly key: string; readonly counts: MonthCounts }>();
  const forget = (part: string) => {
    tallies.delete(part);
    hosts.delete(part);
    counted.delete(part);
  };
  const distrusted = new Set<string>();
  const waiting: Changed[] = [];
  const marks = once(() => openDirtyMarks(indexFile(dir, 'dirty')));
  const files = once(async () =>
    openIndexFiles({ dir, marks: await marks(), read: attempt, onChange: forget }),
  );

  /** One document that cannot be used must not hide all others. */
  async function attempt(page: string): Promise<PageDocument | undefined> {
    try {
      return await read(page);
    } catch (error) {
      log.warn({ err: error, page }, 'the mentions of a page could not be read');
      return undefined;
    }
  }

  async function ready(): Promise<IndexFiles> {
    const opened = await files();
    try {
      if (distrusted.size > 0) await turn(() => readAgain(opened));
    } catch (error) {
      // The index answers with the mentions it knows, and the next use tries the repair again.
      log.warn({ err: error }, 'the index of mentions could not be repaired');
    }
    return opened;
  }

  async function readAgain({ pages, repair }: IndexFiles): Promise<void> {
    const some = [...distrusted];
    if (some.length === 0) return;
    await repair(some, (await pages.read()).rows);
    for (const page of some) distrusted.delete(page);
  }

  /** Lists what the documents hold now, those of a burst at once: each part is opened once for all of them. */
  const list = coalesced(async () => {
    const opened = await files();
    await turn(() => listAll(opened, waiting.splice(0)));
  });

  async function listAll({ pages, put }: IndexFiles, changes: readonly Changed[]): Promise<void> {
    const parts: RowChanges = new Map();
    const documents = new Map<string, PageDocument>();
    for (const { page, before } of changes) {
      const data = documents.get(page) ?? (await read(page));
      documents.set(page, data);
      addChanges(parts, before, data);
    }
    for (const [name, rows] of parts) await put(name, () => [...rows]);
    await pages.put([...documents].map(([page, data]) => [page, pageRowOf(page, data)] as const));
  }

  async function part<R>(name: string, use: (part: IndexPart) => R): Promise<R> {
    const { parts } = await ready();
    return parts.use(name, use);
  }

  return {
    async changing<R>(page: string, work: () => Promise<{ result: R; changed: readonly Mention[] }>) {
      await ready();
      const done: { result: R }[] = [];
      try {
        await (
          await marks()
        ).during(page, async () => {
          const { result, changed } = await work();
          done.push({ result });
          if (changed.length === 0) return;
          waiting.push({ page, before: changed });
          await list();
        });
      } catch (error) {
        if (done.length === 0) throw error;
        // The documents are what counts: lines that cannot be written now are made good at the next use.
        distrusted.add(page);
        log.warn({ err: error, page }, 'the index of mentions could not be written');
      }
      const [{ result }] = done as [{ result: R }];
      return result;
    },

    async distrust(page) {
      await (await marks()).mark(page);
      distrusted.add(page);
    },

    async months() {
      await ready();
      return (await partsIn(dir)).filter(isMonth).sort();
    },

    async ranges() {
      await ready();
      return (await partsIn(dir)).filter(isRange).sort((a, b) => rangeStart(a) - rangeStart(b));
    },

    part,

    async tally(month) {
      const known = tallies.get(month);
      if (known) return known;
      return part(month, ({ rows }) => {
        const tally = new Map<Kind, number>();
        for (const row of rows.values()) {
          if (!isMentionRow(row)) continue;
          const kind: Kind = `${row.type} ${row.status}`;
          tally.set(kind, (tally.get(kind) ?? 0) + 1);
        }
        tallies.set(month, tally);
        return tally;
      });
    },

    async counts(month, own) {
      const known = counted.get(month);
      if (known?.key === own.key) return known.counts;
      return part(month, ({ rows }) => {
        const counts = countedRows([...rows.values()].filter(isMentionRow), own);
        counted.set(month, { key: own.key, counts });
        return counts;
      });
    },

    async approvedHosts(month) {
      const known = hosts.get(month);
      if (known) return known;
      return part(month, ({ rows }) => {
        const approved = [...rows.values()]
          .filter(isMentionRow)
          .filter(({ chosen, status }) => chosen && status === 'approved');
        const found = new Set(approved.map(({ host }) => host));
        hosts.set(month, found);
        return found;
      });
    },

    async pages() {
      const { pages } = await ready();
      return [...(await pages.read()).rows.values()];
    },
  };
}

interface Changed {
  page: string;
  /** The changed mentions as they were; those that are new, as they are. */
  before: readonly Mention[];
}

type RowChanges = Map<string, Map<string, IndexRow | undefined>>;

/** Adds what is to be changed in the parts that had a mention, or have it now. */
function addChanges(parts: RowChanges, changed: readonly Mention[], page: PageDocument): void {
  const note = (part: string, id: string, row: IndexRow | undefined) =>
    parts.set(part, (parts.get(part) ?? new Map<string, IndexRow | undefined>()).set(id, row));
  for (const before of changed) {
    for (const [part] of rowsOf(before)) note(part, before.id, undefined);
    const now = mentionById(page, before.id);
    if (now) for (const [part, row] of rowsOf(now)) note(part, now.id, row);
  }
}

/** Runs `work` at the first call and shares its answer; one that fails is tried again at the next call. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () =>
    (answer ??= work().catch((error: unknown) => {
      answer = undefined;
      throw error;
    }));
}
