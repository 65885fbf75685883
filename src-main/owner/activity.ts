import { randomUUID } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { ActivityItem } from '../contract/activity.ts';
import type { Result } from '../contract/contract.ts';
import { closed } from '../contract/shapes.ts';
import { Outcome, type PastSignIn } from '../contract/sign-ins.ts';
import type { Clock } from '../platform/clock.ts';
import type { EventHub } from './event-hub.ts';

/** A settled sign-in, as it is remembered along with the words about it. */
const SignInRecord = closed({
  id: Type.String(),
  outcome: Outcome,
  clientId: Type.String(),
  clientName: Type.String(),
  scopes: Type.Array(Type.String()),
});

/** One item of activity/YYYY-MM.json. */
export const StoredActivity = closed({ ...ActivityItem.properties, signIn: Type.Optional(SignInRecord) });
export type StoredActivity = Static<typeof StoredActivity>;

export interface ActivityLog {
  append(item: StoredActivity): Promise<void>;
  list(page: {
    limit: number;
    cursor?: string | undefined;
  }): Promise<{ items: StoredActivity[]; nextCursor?: string | undefined }>;
}

export interface Activity {
  /** Writes down what happened and tells the windows; on disk when it resolves. */
  tell(kind: string, words: string, signIn?: Static<typeof SignInRecord>): Promise<void>;
  list(page: { limit?: number; cursor?: string }): Promise<Result<'activity.list'>>;
  history(limit: number): Promise<PastSignIn[]>;
}

const usualPage = 50;

/** What happened, in words, for the owner. */
export function createActivity({
  log,
  hub,
  clock,
}: {
  log: ActivityLog;
  hub: EventHub;
  clock: Clock;
}): Activity {
  return {
    async tell(kind, words, signIn) {
      const item = { id: randomUUID(), at: new Date(clock()).toISOString(), kind, words };
      await log.append(signIn ? { ...item, signIn } : item);
      hub.emit('activity.added', item);
    },

    async list({ limit = usualPage, cursor }) {
      const { items, nextCursor } = await log.list({ limit, cursor });
      return {
        items: items.map(({ id, at, kind, words }) => ({ id, at, kind, words })),
        ...(nextCursor !== undefined && { nextCursor }),
      };
    },

    async history(limit) {
      const past: PastSignIn[] = [];
      let cursor: string | undefined;
      do {
        const page = await log.list({ limit: 200, cursor });
        for (const { at, signIn } of page.items) if (signIn) past.push({ at, ...signIn });
        cursor = page.nextCursor;
      } while (cursor !== undefined && past.length < limit);
      return past.slice(0, limit);
    },
  };
}
