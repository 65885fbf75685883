import { compareWithNew } from '../storage/index/compare-indexes.ts';
import type { IndexDatabase } from '../storage/index/index-database.ts';
import { mentionIndex, mentionTables } from './mention-index.ts';
import { mentionMonths, readMentionMonth } from './mention-lines.ts';
import type { MentionPages } from './mention-pages.ts';

export interface MentionCheck {
  /** The number of mentions in the files, with any status. */
  mentions: number;
  /** The problems found, as messages for the owner. */
  problems: string[];
}

/**
 * Queries that must return the same rows from two indexes of the same mentions. The keys name the queries in messages.
 */
const compared = {
  mentions: `SELECT name AS place, file, at, source, target, page, origin, verified, leads, host, type, status, chosen,
    imported, number, received, mention, person FROM mentions ORDER BY 1`,
  'mention counts': `SELECT page || ' ' || month || ' ' || type || ' ' || status AS place, n FROM mention_counts
    ORDER BY place`,
  'the room of pages': `SELECT page || ' ' || party AS place, bytes FROM mention_bytes ORDER BY place`,
  'words of mentions': `SELECT m.name AS place, w.words FROM mention_words w JOIN mentions m ON m.id = w.rowid
    ORDER BY place`,
};

/**
 * Returns the rule that assigns each mention to the same page as the index `kept` does. The addresses of this server and
 * of its posts, on which the real rule depends, aren't known during a check.
 */
function pagesAsIn(kept: IndexDatabase | undefined): MentionPages {
  const known = new Map(
    kept?.rows(
      ({ target, page }) => [String(target), String(page)] as const,
      'SELECT target, page FROM mentions',
    ),
  );
  const pageOf = (target: string) => known.get(target) ?? target;
  return { base: () => '', addressOf: pageOf, pageAt: (page) => page, pageOf, urlOf: (page) => page };
}

/** Reads every mention in `dir`. Compares the index `kept` with a new index of these mentions (see compareWithNew). */
export async function checkMentions(dir: string, kept?: IndexDatabase): Promise<MentionCheck> {
  const check: MentionCheck = { mentions: 0, problems: [] };
  await compareWithNew({ tables: mentionTables, compared, kept }, check.problems, async (made) => {
    const rows = mentionIndex(made, pagesAsIn(kept));
    for (const month of await mentionMonths(dir)) {
      const { mentions, damaged } = await readMentionMonth(dir, month);
      if (damaged > 0)
        check.problems.push(`The mentions of ${month} have ${damaged} lines that cannot be used.`);
      for (const mention of mentions.values()) {
        if (rows.get(mention.id) ?? rows.find(mention.source, mention.target))
          check.problems.push(`${mention.source} mentions ${mention.target} twice.`);
        check.mentions += 1;
        rows.put(month, mention);
      }
    }
  });
  return check;
}
