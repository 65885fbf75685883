import { differences } from '../storage/index/compare-indexes.ts';
import { inMemory, openIndex, type IndexDatabase } from '../storage/index/index-database.ts';
import { mentionIndex, mentionTables } from './mention-index.ts';
import { monthsIn, readMonth } from './mention-lines.ts';

export interface MentionCheck {
  /** Mentions in the files, whatever their status. */
  mentions: number;
  /** What is not as it should be, in words. */
  problems: string[];
}

/** What must be the same in two indexes of the same mentions, by the name that a problem gives it. */
const compared = {
  mentions: `SELECT name AS place, file, at, source, target, page, host, type, status, chosen, imported, number,
    received, mention FROM mentions ORDER BY place`,
  'mention counts': `SELECT page || ' ' || month || ' ' || type || ' ' || status AS place, n FROM mention_counts
    ORDER BY place`,
  'the room of pages': `SELECT page || ' ' || party AS place, bytes FROM mention_bytes ORDER BY place`,
  'words of mentions': `SELECT m.name AS place, w.words FROM mention_words w JOIN mentions m ON m.id = w.rowid
    ORDER BY place`,
};

/**
 * Reads every mention in the folder `dir`, and compares an index with one that is made anew from them. Changes nothing.
 * Without an index, or with one that is not trusted, only the files are checked: the next start makes it agree.
 */
export async function checkMentions(dir: string, kept?: IndexDatabase): Promise<MentionCheck> {
  const check: MentionCheck = { mentions: 0, problems: [] };
  const made = openIndex(inMemory, [mentionTables]);
  const rows = mentionIndex(made);
  try {
    for (const month of await monthsIn(dir)) {
      const { mentions, damaged } = await readMonth(dir, month);
      if (damaged > 0)
        check.problems.push(`The mentions of ${month} have ${damaged} lines that cannot be used.`);
      for (const mention of mentions.values()) {
        if (rows.get(mention.id) ?? rows.find(mention.source, mention.target))
          check.problems.push(`${mention.source} mentions ${mention.target} twice.`);
        check.mentions += 1;
        rows.put(month, mention);
      }
    }
    // A line that cannot be used explains every difference that it makes.
    if (check.problems.length === 0 && kept?.isTrusted(mentionTables))
      check.problems.push(...differences(kept, made, compared));
  } finally {
    made.close();
  }
  return check;
}
