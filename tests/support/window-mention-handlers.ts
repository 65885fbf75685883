import type { Handlers, Result } from '../../src-main/contract/contract.ts';
import { PorchlightError } from '../../src-main/contract/error.ts';
import type { Status } from '../../src-main/contract/status.ts';
import type { MentionRecord } from '../../src-main/contract/webmentions.ts';
import {
  countsOf,
  historyOf,
  mention,
  pagesOf,
  portraitOf,
  setMentionStatus,
  topPagesOf,
  listMentions,
} from './window-mentions.ts';

/** What mentions need of a house. */
interface MentionHouse {
  status: Status;
  mentions: MentionRecord[];
  blocked: string[];
  blockedPeople: string[];
  importing: Result<'webmentions.importState'>;
}

type MentionHandlers = Pick<
  Handlers,
  | Exclude<
      Extract<keyof Handlers, `webmentions.${string}`>,
      `webmentions.export${string}` | `webmentions.${'deliveries' | 'failedDeliveries' | 'retryDelivery'}`
    >
  | 'secrets.setAggregatorToken'
>;

/** The part of a service for `house` that has to do with mentions. */
export function mentionHandlers(house: MentionHouse): MentionHandlers {
  const before = new Map<string, MentionRecord['status']>();
  const undos = new Map<string, readonly MentionRecord[]>();
  const answer =
    <P, R>(from: (params: P) => R) =>
    (params: P) =>
      new Promise<R>((resolve) => resolve(from(params)));
  return {
    'webmentions.list': answer((query) => listMentions(house.mentions, query)),
    'webmentions.get': answer(({ id }) => {
      const found = house.mentions.find((one) => one.id === id);
      if (!found) throw new PorchlightError('not_found', 'This mention no longer exists.', 404);
      const text = 'Links of the week: a lamp that somebody leaves on.';
      return { mention: found, snapshot: { title: 'Read lately', text }, history: historyOf(found) };
    }),
    'webmentions.pages': answer(() => pagesOf(house.mentions)),
    'webmentions.counts': answer(() => countsOf(house.mentions)),
    'webmentions.topPages': answer(({ year = '' }) => topPagesOf(house.mentions, year)),
    'webmentions.decide': answer(({ ids, decision }) => {
      const undo = `undo-${undos.size}`;
      const old = house.mentions.filter(({ id }) => ids.includes(id));
      const changed = old.flatMap((one) => {
        const status = decision === 'restored' ? (before.get(one.id) ?? 'approved') : decision;
        if (status === one.status || one.removedBy === 'source') return [];
        before.set(one.id, one.status);
        return [setMentionStatus(house, one.id, status)];
      });
      undos.set(
        undo,
        old.filter(({ id }) => changed.some((one) => one.id === id)),
      );
      return { changed, refused: 0, undo: changed.length === 0 ? null : undo };
    }),
    'webmentions.undo': answer(({ id }) => ({
      changed: (undos.get(id) ?? []).map((old) => setMentionStatus(house, old.id, old.status)),
    })),
    'webmentions.setStatus': answer(({ id, status }) => setMentionStatus(house, id, status)),
    'webmentions.delete': answer(({ id }) => {
      const found = house.mentions.find((one) => one.id === id);
      if (found) before.set(id, found.status);
      return setMentionStatus(house, id, 'deleted');
    }),
    'webmentions.restore': answer(({ id }) => setMentionStatus(house, id, before.get(id) ?? 'approved')),
    'webmentions.releaseHeld': answer(() => {
      const { problems } = house.status;
      house.status = {
        ...house.status,
        problems: problems.filter(({ code }) => code !== 'mentions_held'),
      };
      return { released: 1 };
    }),
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
      const words = 'Read 1,204 mentions: 1,203 new, 1 changed, 0 removed.';
      const at = new Date().toISOString();
      const counts = { imported: 1203, updated: 1, removed: 0, total: 1204, wouldRemove: 0 };
      const progress = { state: 'done', done: 1204, total: 1204, words } as const;
      house.importing = { tokenStored: true, progress, last: { id: 'run-1', at, ...counts } };
      return { imported: 1203, updated: 1, removed: 0, targets: 77, total: 1204 };
    }),
    'webmentions.importState': answer(() => house.importing),
    'webmentions.importChanges': answer(() => {
      const { updated = 0, removed = 0, wouldRemove = 0 } = house.importing.last ?? {};
      const listed = (count: number) => ({ count, mentions: house.mentions.slice(0, Math.min(count, 3)) });
      return { updated: listed(updated), removed: listed(removed), wouldRemove: listed(wouldRemove) };
    }),
    'webmentions.applyRemovals': answer(() => {
      const { last } = house.importing;
      const removed = last?.wouldRemove ?? 0;
      house.importing = { ...house.importing, last: last && { ...last, removed, wouldRemove: 0 } };
      return { removed };
    }),
    'webmentions.undoImport': answer(() => {
      const { last } = house.importing;
      house.importing = { ...house.importing, last: last && { ...last, removed: 0 } };
      return { restored: last?.removed ?? 0 };
    }),
    'webmentions.blockDomain': answer(({ domain }) => {
      return (house.blocked = [...new Set([...house.blocked, domain])].sort());
    }),
    'webmentions.unblockDomain': answer(
      ({ domain }) => (house.blocked = house.blocked.filter((one) => one !== domain)),
    ),
    'webmentions.blockedDomains': answer(() => house.blocked),
    'webmentions.blockPerson': answer(
      ({ author }) => (house.blockedPeople = [...new Set([...house.blockedPeople, author])].sort()),
    ),
    'webmentions.unblockPerson': answer(
      ({ author }) => (house.blockedPeople = house.blockedPeople.filter((one) => one !== author)),
    ),
    'webmentions.blockedPeople': answer(() => house.blockedPeople),
    'secrets.setAggregatorToken': answer(({ token }) => {
      house.importing = { ...house.importing, tokenStored: token !== '' };
      return { stored: token !== '' };
    }),
  };
}
