import type { MentionedPage, MentionStatus, MentionType } from '../contract/webmentions.ts';
import type { MentionRow } from './mention-index-row.ts';
import { compareTexts } from './mention-order.ts';
import type { OwnSites } from './own-sites.ts';
import { pageKeyOfId } from './page-document.ts';

type TypeCounts = Partial<Record<MentionType, number>>;

/** What the owner is told of the mentions of a month. The owner's own mentions are kept apart. */
export interface MonthCounts {
  /** Approved mentions of others, by type. */
  readonly types: TypeCounts;
  /** Approved mentions of others, by the key of the page. */
  readonly pages: ReadonlyMap<string, number>;
  readonly own: readonly OwnMention[];
}

interface OwnMention {
  readonly page: string;
  readonly type: MentionType;
  readonly status: MentionStatus;
}

/** Counts the rows of a month. */
export function countedRows(rows: readonly MentionRow[], sites: OwnSites): MonthCounts {
  const types: TypeCounts = {};
  const pages = new Map<string, number>();
  const own: OwnMention[] = [];
  for (const { id, source, type, status } of rows) {
    const page = pageKeyOfId(id) ?? '';
    if (sites.has(source)) own.push({ page, type, status });
    else if (status === 'approved') {
      types[type] = (types[type] ?? 0) + 1;
      pages.set(page, (pages.get(page) ?? 0) + 1);
    }
  }
  return { types, pages, own };
}

/** Sorts the owner's own mentions of some months by the key of the page. */
export function ownByPage(months: readonly MonthCounts[]): ReadonlyMap<string, readonly OwnMention[]> {
  const pages = new Map<string, OwnMention[]>();
  for (const mention of months.flatMap(({ own }) => own)) {
    const some = pages.get(mention.page);
    if (some) some.push(mention);
    else pages.set(mention.page, [mention]);
  }
  return pages;
}

/** Returns what is told of a page without the owner's own mentions of it. */
export function withoutOwn(about: MentionedPage, own: readonly OwnMention[]): MentionedPage {
  if (own.length === 0) return about;
  const types = { ...about.types };
  const statuses = { ...about.statuses };
  for (const { type, status } of own) {
    statuses[status] = (statuses[status] ?? 0) - 1;
    if (status === 'approved') types[type] = (types[type] ?? 0) - 1;
  }
  return { ...about, types, statuses };
}

/** Adds up the pages of some months and returns those with the most mentions, the highest first. `most`: how many. */
export function topPages(
  months: readonly MonthCounts[],
  targets: ReadonlyMap<string, string>,
  most: number,
): { target: string; mentions: number }[] {
  const sums = new Map<string, number>();
  for (const { pages } of months)
    for (const [page, count] of pages) sums.set(page, (sums.get(page) ?? 0) + count);
  return [...sums]
    .flatMap(([page, mentions]) => {
      const target = targets.get(page);
      return target === undefined ? [] : [{ target, mentions }];
    })
    .sort((a, b) => b.mentions - a.mentions || compareTexts(a.target, b.target))
    .slice(0, most);
}
