import type { MentionType } from '../../src-main/contract/mention-types.ts';
import type { NewMention, SourceFacts } from '../../src-main/mentions/mention.ts';

export const target = 'https://me.example/posts/hello';

const properties: Record<MentionType, SourceFacts['property']> = {
  reply: 'in-reply-to',
  like: 'like-of',
  repost: 'repost-of',
  bookmark: 'bookmark-of',
  rsvp: 'rsvp',
  mention: 'mention-of',
};

/** What a source says, in few words. */
export function facts(type: MentionType = 'reply', text = 'Well said.'): SourceFacts {
  return {
    type,
    property: properties[type],
    author: { name: 'Ada Lovelace', url: 'https://ada.example/', photo: '' },
    content: { value: text },
  };
}

/** The mention of the sample page by the `number`th note of a friend. */
export function sample(number = 1, rest: Partial<NewMention> = {}): NewMention {
  return {
    source: `https://friend.example/notes/${number}`,
    target,
    facts: facts(),
    status: 'approved',
    parsed: '2026-11-20T10:00:00.000Z',
    ...rest,
  };
}

/** A mention that webmention.io knew under this number. */
export const importedSample = (wmId: number, rest: Partial<NewMention> = {}) =>
  sample(wmId, {
    wmId,
    received: '2019-03-01T10:00:00Z',
    imported: { jf2: { 'wm-id': wmId }, json: { id: wmId } },
    ...rest,
  });
