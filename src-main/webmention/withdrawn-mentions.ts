import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readDocument, writeDocument } from '../storage/unopened.ts';
import { isShown, type Mention } from './mention.ts';
import { pageFile, pageFormat, pageKeysIn, type PageDocument } from './page-document.ts';

/** A page's document in one folder, with the mentions that are to be as they are in another. */
interface PageWithWithdrawn {
  readonly file: string;
  readonly page: PageDocument;
  readonly count: number;
}

/** Finds the pages in the folder `there` that show mentions which the folder `here` does not show any more. */
export async function* pagesWithWithdrawn(here: string, there: string): AsyncGenerator<PageWithWithdrawn> {
  for (const key of await pageKeysIn(there)) {
    const file = pageFile(there, key);
    const ours = await readDocument(pageFile(here, key), pageFormat);
    if (ours === undefined) continue;
    const page = await readDocument(file, pageFormat);
    if (page === undefined) continue;
    const known = new Map(ours.mentions.map((mention) => [pairOf(mention), mention]));
    const mentions = page.mentions.map((mention) => asHere(mention, known.get(pairOf(mention))));
    const count = mentions.filter((mention, place) => mention !== page.mentions[place]).length;
    if (count > 0) yield { file, page: { ...page, mentions }, count };
  }
}

/** Has the mentions in `there` that are not shown `here` stay so. The index in `there` is made anew when it is opened. */
export async function keepMentionsWithdrawn(here: string, there: string): Promise<void> {
  let changed = false;
  for await (const { file, page } of pagesWithWithdrawn(here, there)) {
    changed = true;
    await writeDocument(file, pageFormat, page);
  }
  if (changed) await rm(join(there, 'index'), { recursive: true, force: true });
}

const pairOf = ({ source, target }: Mention) => `${source}\n${target}`;

/** Its own names stay, which other documents of its folder know it by. */
function asHere(there: Mention, here: Mention | undefined): Mention {
  if (here === undefined || reachOf(there) <= reachOf(here)) return there;
  return { ...here, id: there.id, wmId: there.wmId };
}

/** How near a mention is to being shown: 2 shown, 1 waits for the owner, 0 put away. */
function reachOf(mention: Mention): 0 | 1 | 2 {
  if (isShown(mention)) return 2;
  return mention.status === 'held' ? 1 : 0;
}
