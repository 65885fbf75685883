import type { Log } from '../platform/log.ts';
import { ownByPage, topPages, withoutOwn, type MonthCounts } from './mention-counts.ts';
import type { MentionIndex } from './mention-index.ts';
import { lastMentionedFirst } from './mention-index-pages.ts';
import { rangeOf } from './mention-index-row.ts';
import { listMentions } from './mention-list.ts';
import type { MentionStore } from './mention-store.ts';
import type { Mention } from './mention.ts';
import type { OwnSites } from './own-sites.ts';
import { pageKeyOf, pageKeyOfId, type PageDocument } from './page-document.ts';
import { mentionById, mentionOf, mentionsByAge } from './page-mentions.ts';

export interface MentionQueriesOptions {
  index: MentionIndex;
  /** Reads the document of a page. */
  read: (page: string) => Promise<Readonly<PageDocument>>;
  log: Pick<Log, 'warn'>;
  ownSites: () => OwnSites;
}

/** More than the window shows at a glance. */
const mostTopPages = 10;

/** All of a store that changes nothing. */
export type MentionAnswers = Omit<
  MentionStore,
  'keep' | 'keepAll' | 'setStatus' | 'restore' | 'decideAll' | 'undoAll'
>;

export interface MentionQueries {
  readonly answers: MentionAnswers;
  /** The highest number that any mention has; 0 without mentions. */
  readonly highestNumber: () => Promise<number>;
}

/** Answers what is asked about mentions: what and where by the index, the rest by the documents. */
export function createMentionQueries({ index, read, log, ownSites }: MentionQueriesOptions): MentionQueries {
  async function get(id: string): Promise<Mention | undefined> {
    const page = pageKeyOfId(id);
    return page === undefined ? undefined : mentionById(await read(page), id);
  }

  /** For those who want many: one document that cannot be used must not hide all others. */
  async function getIfPossible(id: string): Promise<Mention | undefined> {
    try {
      return await get(id);
    } catch (error) {
      log.warn({ err: error, id }, 'a mention could not be read');
      return undefined;
    }
  }

  /** What is counted of the months whose name begins so. */
  async function countsOf(beginning: string): Promise<(MonthCounts & { month: string })[]> {
    const own = ownSites();
    const months: (MonthCounts & { month: string })[] = [];
    for (const month of await index.months())
      if (month.startsWith(beginning)) months.push({ month, ...(await index.counts(month, own)) });
    return months;
  }

  const ofPage = async (target: string) => mentionsByAge(await read(pageKeyOf(target)));

  return {
    answers: {
      get,
      find: async (source, target) => mentionOf(await read(pageKeyOf(target)), { source, target }),
      ofPage,

      async wasApproved(host) {
        // The newest first: who mentions again mostly did so lately.
        for (const month of (await index.months()).reverse()) {
          if ((await index.approvedHosts(month)).has(host)) return true;
        }
        return false;
      },

      list: (page) => listMentions({ index, get: getIfPossible, ofPage }, page),

      async byWmId(wmId) {
        const rows = await index.part(rangeOf(wmId), (part) => [...part.rows.values()]);
        const row = rows.find((one) => one.wmId === wmId);
        return row && get(row.id);
      },

      async pages() {
        const own = ownByPage(await countsOf(''));
        const pages = await index.pages();
        return pages
          .map(({ page, about }) => withoutOwn(about, own.get(page) ?? []))
          .sort(lastMentionedFirst);
      },

      async counts() {
        const months = await countsOf('');
        return months.flatMap(({ month, types }) =>
          Object.keys(types).length === 0 ? [] : [{ month, types }],
        );
      },

      async topPages(year = '') {
        const targets = new Map((await index.pages()).map(({ page, about }) => [page, about.target]));
        return topPages(await countsOf(year === '' ? '' : `${year}-`), targets, mostTopPages);
      },

      async *all() {
        for (const month of await index.months()) {
          const rows = await index.part(month, (part) => part.newestFirst().toReversed());
          for (const { id } of rows) {
            const mention = await getIfPossible(id);
            if (mention !== undefined) yield mention;
          }
        }
      },

      async *importedIds() {
        for (const range of await index.ranges()) {
          const rows = await index.part(range, (part) => [...part.rows.values()]);
          yield* rows.sort((a, b) => a.wmId - b.wmId).map(({ wmId, id }) => ({ wmId, id }));
        }
      },
    },

    async highestNumber() {
      let highest = 0;
      for (const month of await index.months()) {
        const numbers = await index.part(month, ({ rows }) => [...rows.values()].map(({ wmId }) => wmId));
        for (const number of numbers) highest = Math.max(highest, number);
      }
      return highest;
    },
  };
}
