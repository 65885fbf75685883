import { Type, type Static } from 'typebox';
import { method } from './method.ts';
import { Id, Moment, closed } from './shapes.ts';

/** Something that happened, in words. */
export const ActivityItem = closed({ id: Id, at: Moment, kind: Type.String(), words: Type.String() });
export type ActivityItem = Static<typeof ActivityItem>;

export const activityMethods = {
  /** Newest first. `cursor`: the nextCursor of the page before. */
  'activity.list': method(
    closed({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
      cursor: Type.Optional(Type.String({ maxLength: 200 })),
    }),
    closed({ items: Type.Array(ActivityItem), nextCursor: Type.Optional(Type.String()) }),
  ),
};
