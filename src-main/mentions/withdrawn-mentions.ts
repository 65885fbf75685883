import { appendLines, lineFileState } from '../storage/line-file.ts';
import { lineOf, monthFile, monthsIn, readMonth } from './mention-lines.ts';
import { isShown, type Mention } from './mention.ts';

/** Mentions of a month of one folder, as they are to be so that they say what another folder says of them. */
interface WithdrawnOfMonth {
  readonly month: string;
  readonly mentions: readonly Mention[];
}

/** Finds the mentions that the folder `there` shows and the folder `here` does not show any more. */
export async function* withdrawnMentions(here: string, there: string): AsyncGenerator<WithdrawnOfMonth> {
  const withdrawn = new Map<string, Mention>();
  for (const month of await monthsIn(here))
    for (const mention of (await readMonth(here, month)).mentions.values())
      if (reachOf(mention) < 2) withdrawn.set(pairOf(mention), mention);
      else withdrawn.delete(pairOf(mention));
  for (const month of await monthsIn(there)) {
    const mentions = [...(await readMonth(there, month)).mentions.values()].flatMap((mention) => {
      const ours = withdrawn.get(pairOf(mention));
      // Its own names stay, because readers of that folder know it by them.
      return ours && reachOf(mention) > reachOf(ours)
        ? [{ ...ours, id: mention.id, wmId: mention.wmId }]
        : [];
    });
    if (mentions.length > 0) yield { month, mentions };
  }
}

/** Has the mentions in `there` that are not shown `here` stay so. No index of `there` is trusted afterwards. */
export async function keepMentionsWithdrawn(here: string, there: string): Promise<void> {
  for await (const { month, mentions } of withdrawnMentions(here, there)) {
    const file = monthFile(there, month);
    // A line break ends what a kill may have cut off.
    const text = ['\n', ...mentions.map(lineOf)].join('');
    await appendLines(file, (await lineFileState(file)).size, text);
  }
}

const pairOf = ({ source, target }: Mention) => `${source}\n${target}`;

/** How near a mention is to being shown: 2 shown, 1 waits for the owner, 0 put away. */
function reachOf(mention: Mention): 0 | 1 | 2 {
  if (isShown(mention)) return 2;
  return mention.status === 'held' ? 1 : 0;
}
