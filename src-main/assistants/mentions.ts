import type { MentionType } from '../contract/mention-types.ts';
import { PorchlightError } from '../contract/error.ts';
import { type Mention, sourceUrl } from '../mentions/mention.ts';
import { isPublic } from '../mentions/reading-api/selection.ts';
import { factsToShow } from '../mentions/mention-record.ts';
import type { MentionStore } from '../mentions/mention-store.ts';
import type { MayDisclose } from '../mentions/shown-mentions.ts';

/** What assistants read of mentions: those that everybody can see. */
export type AssistantMentions = ReturnType<typeof assistantMentions>;

const usualLimit = 20;
/** The most characters of a text in a list; read_mention returns up to mostText. */
const mostInList = 500;
const mostText = 20_000;

/** Returns what assistants read of mentions; see AssistantMentions. */
export function assistantMentions(store: MentionStore, mayDisclose: MayDisclose) {
  const isSeen = (mention: Mention) => isPublic(store, mayDisclose, mention);
  const { pageRules } = store;
  /** The page's own address: that in the mention is the stranger's. */
  const told = (mention: Mention, most: number) => ({
    page: pageRules.urlOf(pageRules.pageOf(mention.target)),
    ...said(mention, most),
  });

  return {
    async list(wish: {
      readonly page?: string | undefined;
      readonly type?: MentionType | undefined;
      readonly limit?: number | undefined;
      readonly cursor?: string | undefined;
    }) {
      const page = wish.page === undefined ? undefined : pageRules.pageOf(wish.page);
      const found = await store.list({
        limit: wish.limit ?? usualLimit,
        cursor: wish.cursor,
        filter: { status: 'approved', type: wish.type, page },
      });
      const mentions: object[] = [];
      for (const mention of found.items) if (await isSeen(mention)) mentions.push(told(mention, mostInList));
      return { mentions, ...(found.nextCursor !== undefined && { cursor: found.nextCursor }) };
    },

    async read(id: string) {
      const mention = await store.get(id);
      if (mention === undefined || !(await isSeen(mention)))
        throw new PorchlightError('not_found', 'There is no public mention with this id.', 404);
      return told(mention, mostText);
    },
  };
}

/** Returns a mention with each of its writer's texts, addresses too, in a field of its own that says so. */
function said(mention: Mention, most: number) {
  const { id, source, target, received } = mention;
  const { type, author, name, content, url, published } = factsToShow(mention);
  const text = content?.value ?? '';
  return {
    id,
    type,
    url: { untrusted_text: sourceUrl(url, { source, target }) },
    received,
    ...(published !== undefined && { published: { untrusted_text: published } }),
    ...(author && {
      author: { untrusted_text: author.name.slice(0, 200), url: { untrusted_text: author.url } },
    }),
    ...(name !== undefined && { title: { untrusted_text: name.slice(0, mostInList) } }),
    ...(text !== '' && { content: { untrusted_text: text.slice(0, most), isShortened: text.length > most } }),
  };
}
