import { randomUUID } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { ActivityItem, areaOf } from '../contract/activity.ts';
import type { Params } from '../contract/contract.ts';
import { isDiskCode, type ErrorCode } from '../contract/error-code.ts';
import { PorchlightError } from '../contract/error.ts';
import { closed } from '../contract/shapes.ts';
import { Outcome, type PastSignIn } from '../contract/sign-ins.ts';
import type { Clock } from '../platform/clock.ts';
import { documentCodec } from '../storage/document-format.ts';
import type { MonthlyLog } from '../storage/monthly-log.ts';
import type { EventHub } from './event-hub.ts';

/** A settled sign-in (approved, denied or expired), as stored with its activity entry. */
const SignInRecord = closed({
  id: Type.String(),
  outcome: Outcome,
  clientId: Type.String(),
  clientName: Type.String(),
  scopes: Type.Array(Type.String()),
});

/** A line of activity/YYYY-MM.jsonl. */
const StoredActivity = closed({ ...ActivityItem.properties, signIn: Type.Optional(SignInRecord) });
type StoredActivity = Static<typeof StoredActivity>;
export const activityFormat = { schema: StoredActivity, format: 1 };

/** The codec that reads and writes activity entries as lines of JSON. */
export const activityCodec = documentCodec(activityFormat);

export type Activity = ReturnType<typeof createActivity>;

const usualPage = 50;
/**
 * The maximum number of entries to keep in memory while writing to the disk fails. They are written once writing works
 * again.
 */
const mostKept = 200;

/** Returns whether a write that failed with `code` may succeed later. */
const mayPass = (code: ErrorCode) =>
  isDiskCode(code) || code === 'storage_busy' || code === 'storage_changed';

/** Creates the owner's activity log, which describes each event in a sentence. */
export function createActivity({
  log,
  hub,
  clock,
  lost,
}: {
  log: Pick<MonthlyLog<StoredActivity>, 'append' | 'list'>;
  hub: EventHub;
  clock: Clock;
  /** Called if an entry that was kept to be written later can never be written. */
  lost: (error: unknown) => void;
}) {
  const unwritten: StoredActivity[] = [];

  async function write(item: StoredActivity): Promise<void> {
    const items = [...unwritten.splice(0), item];
    const written = await Promise.allSettled(items.map((one) => log.append(one)));
    let failed: PromiseRejectedResult | undefined;
    for (const [index, outcome] of written.entries()) {
      if (outcome.status === 'fulfilled') continue;
      const error: unknown = outcome.reason;
      const one = items[index];
      if (error instanceof PorchlightError && mayPass(error.code)) {
        if (one !== undefined && unwritten.length < mostKept) unwritten.push(one);
      } else if (one === item) failed = outcome;
      else lost(error);
    }
    if (failed) throw failed.reason;
  }

  return {
    /**
     * Records an event and notifies the windows. Resolves when the entry is on disk. If writing fails for a temporary
     * reason, such as a full disk, the promise still resolves, because the event did happen. The next call then tries
     * to write the entry again.
     */
    async tell(kind: string, words: string, signIn?: Static<typeof SignInRecord>): Promise<void> {
      const item = { id: randomUUID(), at: new Date(clock()).toISOString(), kind, words };
      await write(signIn ? { ...item, signIn } : item);
      hub.emit('activity.added', item);
    },

    async list({ limit = usualPage, cursor, area, query = '' }: Params<'activity.list'>) {
      const { items, nextCursor } = await log.list({ limit, cursor, wanted: filterOf(area, query) });
      return {
        items: items.map(({ id, at, kind, words }) => ({ id, at, kind, words })),
        ...(nextCursor !== undefined && { nextCursor }),
      };
    },

    async history(limit: number): Promise<PastSignIn[]> {
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

function filterOf(area: Params<'activity.list'>['area'], query: string) {
  const text = query.trim().toLowerCase();
  if (area === undefined && text === '') return undefined;
  return ({ kind, words }: StoredActivity) =>
    (area === undefined || areaOf(kind) === area) && words.toLowerCase().includes(text);
}
