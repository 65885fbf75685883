import type { Handlers, Result } from '../../src-main/contract/contract.ts';
import { PorchlightError } from '../../src-main/contract/error.ts';
import type { MentionRecord } from '../../src-main/contract/webmentions.ts';
import {
  countsOf,
  historyOf,
  mention,
  pagesOf,
  portraitOf,
  setMentionStatus,
  wantedMentions,
} from './window-mentions.ts';

/** What mentions need of a house. */
interface MentionHouse {
  mentions: MentionRecord[];
  blocked: string[];
  importing: Result<'webmentions.importState'>;
}

type MentionHandlers = Pick<
  Handlers,
  | Exclude<
      Extract<keyof Handlers, `webmentions.${string}`>,
      `webmentions.export${string}` | 'webmentions.deliveries' | 'webmentions.retryDelivery'
    >
  | 'secrets.setAggregatorToken'
>;

/** The part of a service for `house` that has to do with mentions. */
export function mentionHandlers(house: MentionHouse): MentionHandlers {
  const before = new Map<string, MentionRecord['status']>();
  const answer =
    <P, R>(from: (params: P) => R) =>
    (params: P) =>
      new Promise<R>((resolve) => resolve(from(params)));
  return {
    'webmentions.list': answer((wanted) => wantedMentions(house.mentions, wanted)),
    'webmentions.get': answer(({ id }) => {
      const found = house.mentions.find((one) => one.id === id);
      if (!found) throw new PorchlightError('not_found', 'This mention is not here any more.', 404);
      const text = 'Links of the week: a lamp that somebody leaves on.';
      return { mention: found, snapshot: { title: 'Read lately', text }, history: historyOf(found) };
    }),
    'webmentions.pages': answer(() => pagesOf(house.mentions)),
    'webmentions.counts': answer(() => countsOf(house.mentions)),
    'webmentions.setStatus': answer(({ id, status }) => setMentionStatus(house, id, status)),
    'webmentions.delete': answer(({ id }) => {
      const found = house.mentions.find((one) => one.id === id);
      if (found) before.set(id, found.status);
      return setMentionStatus(house, id, 'deleted');
    }),
    'webmentions.restore': answer(({ id }) => setMentionStatus(house, id, before.get(id) ?? 'approved')),
    'webmentions.picture': answer(({ url }) => ({ dataUrl: portraitOf(url) })),
    'webmentions.process': answer(() => ({
      processed: 3,
      approved: 1,
      updated: 1,
      removed: 0,
      failed: 1,
      waiting: 2,
    })),
    'webmentions.import': answer(() => {
      const fresh = mention('imported-1', '2026-11-20T08:00:00.000Z', { name: 'From the old days' });
      house.mentions = [fresh, ...house.mentions];
      const words = '1,204 mentions read: 1,203 new, 1 changed, 0 taken away.';
      house.importing = { tokenStored: true, progress: { state: 'done', done: 1204, total: 1204, words } };
      return { imported: 1203, updated: 1, removed: 0, targets: 77, total: 1204 };
    }),
    'webmentions.importState': answer(() => house.importing),
    'webmentions.blockDomain': answer(
      ({ domain }) => (house.blocked = [...new Set([...house.blocked, domain])].sort()),
    ),
    'webmentions.unblockDomain': answer(
      ({ domain }) => (house.blocked = house.blocked.filter((one) => one !== domain)),
    ),
    'webmentions.blockedDomains': answer(() => house.blocked),
    'secrets.setAggregatorToken': answer(({ token }) => {
      house.importing = { ...house.importing, tokenStored: token !== '' };
      return { stored: token !== '' };
    }),
  };
}
