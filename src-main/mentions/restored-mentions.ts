import { eachRow, readRecords, replaceRows, withClosedRecords } from '../storage/records/closed-records.ts';
import { cellsOf, insertInto } from '../storage/records/record-table.ts';
import { mentionOfRow, mentionTable, reachOf, rowOf } from './mention-table.ts';
import type { Mention } from './mention.ts';
import { pairOf } from './receiving/received-mentions.ts';
import { deliveryTable, sendTables } from './sending/deliveries.ts';

/**
 * Returns the mentions that are shown or held in the folder `there` but less visible in the folder `here`, with their
 * state from the folder `here`.
 */
export async function withdrawnMentions(here: string, there: string): Promise<Mention[]> {
  // Most of the mentions that aren't shown here aren't shown there either, so only their number may be large.
  const reaches = new Map<string, number>();
  await eachRow(here, mentionTable, (row) => {
    const mention = mentionOfRow(row);
    if (reachOf(mention) < 2) reaches.set(pairOf(mention), reachOf(mention));
  });
  const shownThere = new Map<string, Pick<Mention, 'id' | 'wmId'>>();
  if (reaches.size === 0) return [];
  await eachRow(there, mentionTable, (row) => {
    const mention = mentionOfRow(row);
    const { id, wmId } = mention;
    if (reachOf(mention) > (reaches.get(pairOf(mention)) ?? 2)) shownThere.set(pairOf(mention), { id, wmId });
  });
  const found: Mention[] = [];
  if (shownThere.size === 0) return found;
  await eachRow(here, mentionTable, (row) => {
    const mention = mentionOfRow(row);
    // Keep the id and `wm-id` from the folder `there`, because programs that read that folder identify the mention by
    // them.
    const theirs = shownThere.get(pairOf(mention));
    if (theirs) found.push({ ...mention, ...theirs });
  });
  return found;
}

/** For each mention that is less visible in the folder `here`, copies its state to the folder `there`. */
export async function keepMentionsWithdrawn(here: string, there: string): Promise<void> {
  const mentions = await withdrawnMentions(here, there);
  if (mentions.length === 0) return;
  await withClosedRecords(there, [mentionTable], (database) => {
    const insert = database.prepare(insertInto(mentionTable));
    for (const mention of mentions) insert.run(...cellsOf(mentionTable, rowOf(mention)));
  });
}

/** Returns the number of unsent webmentions in a data folder. A server that uses the folder will send them. */
export async function countOutgoing(dataDir: string): Promise<number> {
  const count = await readRecords(dataDir, deliveryTable, (database) =>
    Number(database.prepare("SELECT count(*) AS n FROM deliveries WHERE state = 'waiting'").get()?.['n']),
  );
  return typeof count === 'number' ? count : 0;
}

/** Replaces what was sent, and waits to be sent, in the folder `there` by that in the folder `here`. */
export const keepOutgoing = (here: string, there: string): Promise<void> =>
  replaceRows(here, there, sendTables);
