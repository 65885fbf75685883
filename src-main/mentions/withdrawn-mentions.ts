import { setImmediate as nextTurn } from 'node:timers/promises';
import { jsonIn } from '../storage/json-value.ts';
import { eachRow, withClosedRecords } from '../storage/records/closed-records.ts';
import { cellsOf, insertInto, type Row } from '../storage/records/record-table.ts';
import { isStorable } from './mention-format.ts';
import { mentionTable } from './mention-table.ts';
import { isShown, type Mention } from './mention.ts';

/** The maximum number of mentions that change in one transaction. */
const atOnce = 200;

/**
 * Returns the mentions that are shown or held in the folder `there` but less visible in the folder `here`, with their
 * state from the folder `here`.
 */
export async function withdrawnMentions(here: string, there: string): Promise<Mention[]> {
  const withdrawn = new Map<string, Mention>();
  await eachRow(here, mentionTable, (row) => {
    const mention = mentionIn(row);
    if (mention && reachOf(mention) < 2) withdrawn.set(pairOf(mention), mention);
  });
  const found: Mention[] = [];
  if (withdrawn.size === 0) return found;
  await eachRow(there, mentionTable, (row) => {
    const mention = mentionIn(row);
    const ours = mention && withdrawn.get(pairOf(mention));
    // Keep the id and `wm-id` from the folder `there`, because programs that read that folder identify the mention by
    // them.
    if (ours && reachOf(mention) > reachOf(ours)) found.push({ ...ours, id: mention.id, wmId: mention.wmId });
  });
  return found;
}

/** For each mention that is less visible in the folder `here`, copies its state to the folder `there`. */
export async function keepMentionsWithdrawn(here: string, there: string): Promise<void> {
  const mentions = await withdrawnMentions(here, there);
  if (mentions.length === 0) return;
  await withClosedRecords(there, [mentionTable], async (database) => {
    const insert = database.prepare(insertInto(mentionTable));
    for (let start = 0; start < mentions.length; start += atOnce) {
      database.exec('BEGIN');
      for (const mention of mentions.slice(start, start + atOnce))
        insert.run(...cellsOf(mentionTable, { id: mention.id, mention: JSON.stringify(mention) }));
      database.exec('COMMIT');
      await nextTurn();
    }
  });
}

function mentionIn({ mention }: Row): Mention | undefined {
  const read = jsonIn(String(mention));
  return isStorable(read) ? read : undefined;
}

const pairOf = ({ source, target }: Mention) => `${source}\n${target}`;

/** Returns how visible a mention is: 2 shown, 1 waiting for the owner, 0 for all others. */
function reachOf(mention: Mention): 0 | 1 | 2 {
  if (isShown(mention)) return 2;
  return mention.status === 'held' ? 1 : 0;
}
