import type { PageRow } from './mention-index-pages.ts';
import { pageRowOf } from './mention-index-pages.ts';
import type { IndexPart } from './mention-index-part.ts';
import { rowsOf, type IndexRow } from './mention-index-row.ts';
import { pageKeyOfId, type PageDocument } from './page-document.ts';

/** Rows of the index, by part and by the mention's identifier. */
export type RowsByPart = Map<string, Map<string, IndexRow>>;

type Changes = [id: string, row: IndexRow | undefined][];

export interface Repair {
  /** The pages to read again. */
  pages: readonly string[];
  /** What the index says of pages so far. */
  before: ReadonlyMap<string, PageRow>;
  /** Reads a document; undefined where it cannot be read: then nothing changes. */
  read: (page: string) => Promise<PageDocument | undefined>;
  /** Changes what a part of the index says. */
  put: (part: string, changes: (part: IndexPart) => Changes) => Promise<void>;
  /** Called for a page whose rows are right now; `row`: undefined where nothing mentions it. */
  list: (page: string, row: PageRow | undefined) => Promise<void>;
}

/** Documents read at a time. */
const readers = 16;
/** Mentions kept in memory before they are written, so that each part is opened once for many pages. */
const longestBatch = 20_000;

/** Makes the index say of some pages what their documents hold. */
export async function repairIndex({ pages, before, read, put, list }: Repair): Promise<void> {
  let batch = new Map<string, PageDocument>();
  let mentions = 0;

  async function write(): Promise<void> {
    const rows = rowsByPart(batch.values());
    const listed = [...batch.keys()].flatMap((page) => before.get(page)?.parts ?? []);
    for (const part of new Set([...rows.keys(), ...listed])) {
      await put(part, (one) => changesIn(one, rows.get(part) ?? new Map<string, IndexRow>(), batch));
    }
    for (const [page, data] of batch) await list(page, pageRowOf(page, data));
    batch = new Map();
    mentions = 0;
  }

  for await (const [page, data] of documents(pages, read)) {
    batch.set(page, data);
    mentions += data.mentions.length;
    if (mentions >= longestBatch) await write();
  }
  if (batch.size > 0) await write();
}

/** What the index should hold of some pages. */
export async function rowsOfPages(pages: readonly string[], read: Repair['read']): Promise<RowsByPart> {
  const all: RowsByPart = new Map();
  for await (const [, data] of documents(pages, read)) addRows(all, data);
  return all;
}

async function* documents(
  pages: readonly string[],
  read: Repair['read'],
): AsyncGenerator<[page: string, data: PageDocument]> {
  for (let start = 0; start < pages.length; start += readers) {
    const some = pages.slice(start, start + readers);
    const found = await Promise.all(some.map(async (page) => ({ page, data: await read(page) })));
    for (const { page, data } of found) if (data !== undefined) yield [page, data];
  }
}

function rowsByPart(pages: Iterable<PageDocument>): RowsByPart {
  const all: RowsByPart = new Map();
  for (const data of pages) addRows(all, data);
  return all;
}

function addRows(all: RowsByPart, { mentions }: PageDocument): void {
  for (const [part, row] of mentions.flatMap(rowsOf)) {
    const rows = all.get(part) ?? new Map<string, IndexRow>();
    all.set(part, rows.set(row.id, row));
  }
}

/** The rows that a part should have of these pages, and those that it should not have any more. */
function changesIn(
  part: IndexPart,
  rows: ReadonlyMap<string, IndexRow>,
  pages: ReadonlyMap<string, PageDocument>,
): Changes {
  const stale = [...part.rows.keys()].filter((id) => !rows.has(id) && pages.has(pageKeyOfId(id) ?? ''));
  return [...rows, ...stale.map((id): Changes[number] => [id, undefined])];
}
