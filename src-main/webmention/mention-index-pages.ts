import { Type, type Static } from 'typebox';
import { closed } from '../contract/shapes.ts';
import { MentionedPage, type MentionStatus, type MentionType } from '../contract/webmentions.ts';
import { oneAtATime } from '../platform/one-at-a-time.ts';
import { openJournal, readJournal } from '../storage/journal.ts';
import { isValid } from '../storage/schema-check.ts';
import { rowsOf } from './mention-index-row.ts';
import { byAge, compareTexts } from './mention-order.ts';
import type { Mention } from './mention.ts';
import type { PageDocument } from './page-document.ts';

/** A page that was mentioned: a line of `index/pages.jsonl`. */
export const PageRow = closed({
  page: Type.String(),
  about: MentionedPage,
  /** The parts of the index that have its mentions. */
  parts: Type.Array(Type.String()),
});
export type PageRow = Static<typeof PageRow>;

const Gone = closed({ page: Type.String(), gone: Type.Literal(true) });
const PageLine = Type.Union([PageRow, Gone]);

export interface PageRows {
  /** By the key of the page. */
  rows: Map<string, PageRow>;
  /** False where a line could not be read. */
  whole: boolean;
}

/** The pages, on disk only: they are read when they are asked for. */
export interface PagesIndex {
  read(): Promise<PageRows>;
  /** Sets what is known of pages, by their keys; undefined where one has no mentions. */
  put(rows: Iterable<readonly [page: string, row: PageRow | undefined]>): Promise<void>;
  /** Forgets all. */
  clear(): Promise<void>;
}

/** Below this a journal is not worth rewriting. */
const shortJournal = 1000;

/** Opens the index of pages and tells what it holds. Open it once in a process. */
export async function openPagesIndex(file: string): Promise<PagesIndex & { first: PageRows }> {
  const { journal, ...read } = await openJournal(file);
  const first = foldedPages(read);
  const turn = oneAtATime();
  let pages = first.rows.size;

  async function tidy(): Promise<void> {
    const { rows } = foldedPages(await readJournal(file));
    await journal.rewrite(() => [...rows.values()]);
    pages = rows.size;
  }

  return {
    first,
    // A line that is being written must not be read half.
    read: () => turn(async () => foldedPages(await readJournal(file))),
    clear: () => turn(() => journal.rewrite(() => [])),
    put: (changed) =>
      turn(async () => {
        const lines = Array.from(changed, ([page, row]) => row ?? { page, gone: true });
        await Promise.all(lines.map((line) => journal.append(line)));
        if (journal.length > 2 * pages + shortJournal) await tidy();
      }),
  };
}

/** What the lines say in the end: the last line of a page wins. */
export function foldedPages({ lines, whole }: { lines: readonly unknown[]; whole: boolean }): PageRows {
  const found: PageRows = { rows: new Map(), whole };
  for (const line of lines) {
    if (!isValid(PageLine, line)) found.whole = false;
    else if ('gone' in line) found.rows.delete(line.page);
    else found.rows.set(line.page, line);
  }
  return found;
}

/** The row of a page; undefined where nothing mentions it. */
export function pageRowOf(page: string, { target, mentions }: PageDocument): PageRow | undefined {
  const about = mentionedPage(target, mentions);
  const parts = new Set(mentions.flatMap((mention) => rowsOf(mention).map(([part]) => part)));
  return about && { page, about, parts: [...parts].sort() };
}

/** How often a page was mentioned; undefined where it was not. */
export function mentionedPage(target: string, mentions: readonly Mention[]): MentionedPage | undefined {
  const newest = mentions.toSorted(byAge).at(-1);
  if (newest === undefined) return undefined;
  const types: Partial<Record<MentionType, number>> = {};
  const statuses: Partial<Record<MentionStatus, number>> = {};
  for (const { status, facts } of mentions) {
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === 'approved') types[facts.type] = (types[facts.type] ?? 0) + 1;
  }
  return { target, types, statuses, newest: newest.received };
}

/** The one mentioned last first. */
export const lastMentionedFirst = (a: MentionedPage, b: MentionedPage) =>
  Date.parse(b.newest) - Date.parse(a.newest) || compareTexts(a.target, b.target);
