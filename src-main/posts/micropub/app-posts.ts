import type { Bearer } from '../../http/bearer.ts';
import type { Fields } from '../../http/form.ts';
import type { Action } from './action.ts';
import { type ActionDeps, perform } from './actions.ts';
import { answerQuery, type QueryDeps } from './queries.ts';
import { postReader } from './scope-check.ts';

export type AppPosts = ReturnType<typeof appPosts>;

/** Returns what apps do with posts and read of them, whichever way they come. */
export const appPosts = (deps: ActionDeps & QueryDeps) => ({
  /** Performs an action; see `perform`. */
  perform: (action: Action, bearer: Bearer) => perform(deps, action, bearer),

  /** Responds to a Micropub query at the time `now` (ms); see `answerQuery`. */
  answer: (query: Fields, bearer: Pick<Bearer, 'scopes' | 'app'>, now: number) =>
    answerQuery({ ...deps, now: () => now }, query, bearer),

  /**
   * Returns until when (ms) the responses to an app stay the same if nothing changes: one that can't see scheduled posts
   * sees them once they are published. Returns undefined if that isn't limited.
   */
  sameUntil: async (bearer: Pick<Bearer, 'scopes' | 'app'>, now: number): Promise<number | undefined> =>
    postReader(bearer, now) === 'all' ? undefined : deps.posts.nextPublication(now),
});
