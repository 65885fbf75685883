import { rsvpAnswerIn } from '../../../contract/post-kinds.ts';
import type { ResponseProperty } from '../../mention.ts';
import type { MentionType } from '../../../contract/webmentions.ts';
import { addressesOf, isSameAddress, itemText, itemValues, type Item } from './item.ts';

export interface Response {
  readonly type: MentionType;
  readonly property: ResponseProperty;
  /** The reply in an RSVP: yes, no, maybe or interested. Absent for other types. */
  readonly rsvp?: string;
}

const plain: Response = { type: 'mention', property: 'mention-of' };

/**
 * The response types, in the order of the Response Type Algorithm (post type discovery). Bookmarks come last, because
 * the algorithm doesn't cover them.
 */
const responses: readonly Response[] = [
  { type: 'repost', property: 'repost-of' },
  { type: 'like', property: 'like-of' },
  { type: 'reply', property: 'in-reply-to' },
  { type: 'bookmark', property: 'bookmark-of' },
];

/**
 * Returns an entry's type of response, based on the property that points to the target. If no property does, the type
 * is a plain mention.
 */
export function responseOf(entry: Item | undefined, target: string): Response {
  if (!entry) return plain;
  const rsvp = rsvpAnswerIn(itemText(itemValues(entry, 'rsvp')[0]));
  if (rsvp !== undefined && pointsAt(entry, 'in-reply-to', target)) {
    return { type: 'rsvp', property: 'rsvp', rsvp };
  }
  return responses.find(({ property }) => pointsAt(entry, property, target)) ?? plain;
}

/** Returns whether an entry responds to the target in any way. */
export function respondsTo(entry: Item, target: string): boolean {
  return responses.some(({ property }) => pointsAt(entry, property, target));
}

function pointsAt(entry: Item, property: ResponseProperty, target: string): boolean {
  return itemValues(entry, property).some((value) =>
    addressesOf(value).some((address) => isSameAddress(address, target)),
  );
}
