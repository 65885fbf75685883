import { appendLines, lineFileState } from '../storage/line-file.ts';
import { mentionLineText, mentionFile, mentionMonths, readMentionMonth } from './mention-lines.ts';
import { isShown, type Mention } from './mention.ts';

/**
 * Mentions from one month's file in the folder `there`, with their state from the folder `here` (see
 * `withdrawnMentions`).
 */
interface WithdrawnOfMonth {
  readonly month: string;
  readonly mentions: readonly Mention[];
}

/**
 * Yields, by month, the mentions that are shown or held in the folder `there` but less visible in the folder `here`.
 */
export async function* withdrawnMentions(here: string, there: string): AsyncGenerator<WithdrawnOfMonth> {
  const withdrawn = new Map<string, Mention>();
  for (const month of await mentionMonths(here))
    for (const mention of (await readMentionMonth(here, month)).mentions.values())
      if (reachOf(mention) < 2) withdrawn.set(pairOf(mention), mention);
      else withdrawn.delete(pairOf(mention));
  for (const month of await mentionMonths(there)) {
    const mentions = [...(await readMentionMonth(there, month)).mentions.values()].flatMap((mention) => {
      const ours = withdrawn.get(pairOf(mention));
      // Keep the id and `wm-id` from the folder `there`, because programs that read that folder identify the mention by
      // them.
      return ours && reachOf(mention) > reachOf(ours)
        ? [{ ...ours, id: mention.id, wmId: mention.wmId }]
        : [];
    });
    if (mentions.length > 0) yield { month, mentions };
  }
}

/**
 * For each mention that is less visible in the folder `here`, copies its state to the folder `there`. The index of
 * `there` must be rebuilt afterwards.
 */
export async function keepMentionsWithdrawn(here: string, there: string): Promise<void> {
  for await (const { month, mentions } of withdrawnMentions(here, there)) {
    const file = mentionFile(there, month);
    // An interrupted write may have left the last line incomplete, so the text starts with a line break.
    const text = ['\n', ...mentions.map(mentionLineText)].join('');
    await appendLines(file, (await lineFileState(file)).size, text);
  }
}

const pairOf = ({ source, target }: Mention) => `${source}\n${target}`;

/** Returns how visible a mention is: 2 shown, 1 waiting for the owner, 0 for all others. */
function reachOf(mention: Mention): 0 | 1 | 2 {
  if (isShown(mention)) return 2;
  return mention.status === 'held' ? 1 : 0;
}
