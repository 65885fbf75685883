import { Type, type Static } from 'typebox';
import { choice, closed, Id, method, Moment } from './shapes.ts';

/** The part of Porchlight that an activity item is about. */
export const ActivityArea = choice('sign-ins', 'posts', 'mentions', 'server', 'data');
export type ActivityArea = Static<typeof ActivityArea>;

/**
 * An entry of the activity list. `kind` names the event, such as `post.created`. `words` is the sentence that the owner
 * reads.
 */
export const ActivityItem = closed({ id: Id, at: Moment, kind: Type.String(), words: Type.String() });
export type ActivityItem = Static<typeof ActivityItem>;

const areas = new Map<string, ActivityArea>([
  ['signIn', 'sign-ins'],
  ['app', 'sign-ins'],
  ['token', 'sign-ins'],
  ['post', 'posts'],
  ['media', 'posts'],
  ['webmention', 'mentions'],
  ['delivery', 'mentions'],
  ['data', 'data'],
  ['backup', 'data'],
]);

/**
 * Returns the area for a kind of activity, such as `posts` for `post.created`. Returns `server` if no other area
 * matches.
 */
export function areaOf(kind: string): ActivityArea {
  return areas.get(kind.split('.', 1)[0] ?? '') ?? 'server';
}

export const activityMethods = {
  /**
   * Lists activity, newest first. `query`: text to find in an item. `cursor`: the `nextCursor` of the previous page.
   */
  'activity.list': method(
    closed({
      area: Type.Optional(ActivityArea),
      query: Type.Optional(Type.String({ maxLength: 200 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
      cursor: Type.Optional(Type.String({ maxLength: 200 })),
    }),
    closed({ items: Type.Array(ActivityItem), nextCursor: Type.Optional(Type.String()) }),
  ),
};
