import { Type, type Static } from 'typebox';
import { method } from './method.ts';
import { Id, Moment, closed } from './shapes.ts';

/** What a thing that happened has to do with. */
export const ActivityArea = Type.Union([
  Type.Literal('sign-ins'),
  Type.Literal('posts'),
  Type.Literal('mentions'),
  Type.Literal('server'),
  Type.Literal('data'),
]);
export type ActivityArea = Static<typeof ActivityArea>;

/** Something that happened, in words. `kind`: an area's word and what happened there, such as `post.created`. */
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

/** The area that a kind belongs to; what is nobody else's is the server's. */
export function areaOf(kind: string): ActivityArea {
  return areas.get(kind.split('.', 1)[0] ?? '') ?? 'server';
}

export const activityMethods = {
  /** Newest first, of one area and with a text in its words where that is asked for. `cursor`: the nextCursor of the page before. */
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
