import { PorchlightError } from '../contract/error.ts';
import type { MentionType } from '../contract/mention-types.ts';
import type { MentionStatus } from '../contract/webmentions.ts';
import { createRecent, type Versions } from '../storage/caches.ts';
import { containing } from '../storage/search-text.ts';
import type { Cell, Row } from '../storage/records/record-table.ts';
import type { Records } from '../storage/records/records.ts';
import { mentionOfRow } from './mention-table.ts';
import { mentionBytes } from './mention-limits.ts';
import { type Mention, mentionsOf } from './mention.ts';

export interface MentionFilter {
  readonly type?: MentionType | undefined;
  readonly status?: MentionStatus | undefined;
  /** Leaves out the mentions with this status. */
  readonly without?: MentionStatus | undefined;
  /** The id of the mentioned page (see MentionPages.pageOf). */
  readonly page?: string | undefined;
  readonly source?: string | undefined;
  /** The host of the source. */
  readonly host?: string | undefined;
  /** A string to find in a mention's source, author, name or text, ignoring case. */
  readonly text?: string | undefined;
}

export interface MentionListOptions {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly filter?: MentionFilter;
}

export interface MentionPage {
  /** Sorted by time received, newest first. */
  readonly items: Mention[];
  /** An opaque cursor for the next page; absent on the last page. */
  readonly nextCursor?: string;
}

/**
 * Creates the queries that read many mentions. MentionStore describes the results. Unless stated
 * otherwise, they return only one mention from each source of a page (`leads`; see rankForSource).
 */
export function mentionQueries(records: Pick<Records, 'rows'>) {
  return {
    list({ limit, cursor, filter = {} }: MentionListOptions): MentionPage {
      const from = cursor === undefined ? undefined : stepAt(cursor);
      if (limit < 1) return { items: [] };
      const { conditions, cells } = conditionsOf(filter);
      if (from) {
        conditions.push('(at, id) < (?, ?)');
        cells.push(from.at, from.id);
      }
      const sql = `SELECT id, mention FROM mentions WHERE ${conditions.join(' AND ')} ORDER BY at DESC, id DESC LIMIT ?`;
      const found = records.rows(mentionOfRow, sql, ...cells, limit + 1);
      const items = found.slice(0, limit);
      const last = items.at(-1);
      return { items, ...(found.length > limit && last && { nextCursor: mentionCursor(stepOf(last)) }) };
    },

    /** Returns the mentions of a page in the order in which they were received. */
    ofPage: (page: string) =>
      records.rows(
        mentionOfRow,
        'SELECT id, mention FROM mentions WHERE page = ? AND leads = 1 ORDER BY at, id',
        page,
      ),

    /** Returns every mention of a page, however many spellings a source links to, in the same order. */
    recordsOf: (page: string) =>
      records.rows(mentionOfRow, 'SELECT id, mention FROM mentions WHERE page = ? ORDER BY at, id', page),

    /**
     * Returns up to `limit` other mentions of the same type from the same host on the same page, if they represent
     * their sources.
     */
    neighbours: (
      { page, type, origin }: { page: string; type: MentionType; origin: string },
      limit: number,
    ) => {
      const host = /^\/\/[^/?#]*\//.exec(origin)?.[0] ?? origin;
      const sql = `SELECT id, mention FROM mentions WHERE page = ? AND origin >= ? AND origin < ? AND origin <> ?
        AND leads = 1 AND type = ? AND status IN ('approved', 'held') ORDER BY origin LIMIT ?`;
      return records.rows(mentionOfRow, sql, page, host, `${host}\u{10ffff}`, origin, type, limit);
    },

    /** Returns the ids of the mentioned pages, the most recently mentioned first. */
    pageIds: () =>
      records.rows(
        ({ page }) => String(page),
        'SELECT page FROM mentions WHERE leads = 1 GROUP BY page ORDER BY max(at) DESC, page',
      ),

    /** Returns the ids of the mentioned pages that equal `page` except for upper and lower case. */
    spellings: (page: string) =>
      records.rows(
        ({ page: spelling }) => String(spelling),
        'SELECT DISTINCT page FROM mentions WHERE leads = 1 AND lower(page) = lower(?)',
        page,
      ),

    byWmId: (wmId: number): Mention | undefined =>
      records.rows(
        mentionOfRow,
        'SELECT id, mention FROM mentions WHERE number = ? AND imported = 1',
        wmId,
      )[0],

    wasApproved(host: string, author: string) {
      const sql = `SELECT 1 FROM mentions WHERE host = ? AND author = ? AND chosen = 1 AND status = 'approved' LIMIT 1`;
      return records.rows(() => true, sql, host, author).length > 0;
    },

    /**
     * Returns up to `limit` mentions that follow `last`, in the order in which they were received. `which`: every
     * mention, or only one from each source of a page.
     */
    after(last: Mention | undefined, limit: number, which: 'every' | 'leading') {
      const step = last ? stepOf(last) : undefined;
      const of = which === 'leading' ? 'leads = 1' : 'at IS NOT NULL';
      const sql = `SELECT id, mention FROM mentions WHERE ${of} ${step ? 'AND (at, id) > (?, ?)' : ''}
        ORDER BY at, id LIMIT ?`;
      return records.rows(mentionOfRow, sql, ...(step ? [step.at, step.id] : []), limit);
    },

    /** Returns up to `limit` of all imported mentions that follow `last`, in order of their `wm-id`. */
    importedAfter(last: { wmId: number; id: string } | undefined, limit: number) {
      const sql = `SELECT number, id FROM mentions WHERE imported = 1 ${last ? 'AND (number, id) > (?, ?)' : ''}
        ORDER BY number, id LIMIT ?`;
      const read = ({ number, id }: Row) => ({ wmId: Number(number), id: String(id) });
      return records.rows(read, sql, ...(last ? [last.wmId, last.id] : []), limit);
    },
  };
}

function conditionsOf({ type, status, without, page, source, host, text }: MentionFilter) {
  const conditions = ['leads = 1'];
  const cells: Cell[] = [];
  const where = (condition: string, ...more: Cell[]): void => {
    conditions.push(condition);
    cells.push(...more);
  };
  if (type !== undefined) where('type = ?', type);
  if (status !== undefined) where('status = ?', status);
  if (without !== undefined) where('status <> ?', without);
  if (page !== undefined) where('page = ?', page);
  if (source !== undefined) where('source = ?', source);
  if (host !== undefined) where('host = ?', host.toLowerCase().replace(/\.$/, ''));
  if (text !== undefined && text !== '') {
    const found = containing('mention_words', text);
    where(`seq IN (${found.sql})`, found.cell);
  }
  return { conditions, cells };
}

/** A mention's position in the order of all mentions: by the time it was received (ms), then by its identifier. */
interface MentionPlace {
  readonly at: number;
  readonly id: string;
}

const stepOf = ({ received, id }: Pick<Mention, 'received' | 'id'>): MentionPlace => ({
  at: Date.parse(received),
  id,
});

/** Returns an opaque cursor for a position in the order. The cursor stays valid when mentions are added or removed. */
const mentionCursor = ({ at, id }: MentionPlace) => Buffer.from(`${at} ${id}`).toString('base64url');

/**
 * Reads a cursor.
 * @throws PorchlightError `invalid_request` if the cursor is invalid.
 */
function stepAt(cursor: string): MentionPlace {
  const [, at, id] =
    /^(-?\d{1,15}) (\S{1,128})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (at === undefined || id === undefined) {
    throw new PorchlightError(
      'invalid_request',
      'This cursor is not valid. Load the list again from its start.',
    );
  }
  return { at: Number(at), id };
}

/**
 * The maximum size of the cache in bytes of JSON, enough for a few thousand mentions. Many requests are for the same
 * few new posts.
 */
const mostRecentBytes = 8 * 1024 * 1024;

/**
 * Creates a cache of the mentions of recently requested pages. The returned function takes a page and returns its
 * mentions, oldest first. It returns the same array until a mention changes.
 */
export function recentPages(
  versions: Versions,
  read: (page: string) => Mention[],
): (page: string) => readonly Mention[] {
  const pages = createRecent<{ readonly mentions: readonly Mention[]; readonly version: number }>(
    mostRecentBytes,
  );

  return (page) => {
    const version = versions.of(mentionsOf(page));
    const known = pages.get(page);
    if (known?.version === version) return known.mentions;
    const mentions = read(page);
    const bytes = mentions.reduce((sum, mention) => sum + mentionBytes(mention), 200);
    pages.set(page, { mentions, version }, bytes);
    return mentions;
  };
}
