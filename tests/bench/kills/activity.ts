import type { ActivityItem } from '../../../src-main/contract/activity.ts';
import type { Ledger } from './ledger.ts';
import type { Scene } from './scene.ts';

/** The kinds of entries that each action of the load has exactly once, by who acts. */
const recorded = {
  owner: [
    'app.revoked',
    'app.tokenIssued',
    'data.backup',
    'media.deleted',
    'post.deleted',
    'post.updated',
    'signIn.approved',
    'webmention.blocked',
    'webmention.imported',
    'webmention.unblocked',
  ],
  app: ['app.signedIn', 'media.deleted', 'post.created'],
} as const;

/** How many actions of one kind have an entry each, if apps do them. Later ones are only counted (flood-gate.ts). */
const singly = 5;
/** A name that `nameIn` gave. */
const anyName = /\b[a-z]+\d+-\d+\b/;

/** Returns the key of an action in the ledger. `about`: a text that has the name of the thing, if it concerns one. */
const keyOf = (who: keyof typeof recorded, kind: string, about = '') =>
  `activity ${who} ${kind} ${anyName.exec(about)?.[0] ?? 'all'}`;

/** Returns whether an entry only tells how many more things an app did. */
const isCount = (who: keyof typeof recorded, key: string) => who === 'app' && key.endsWith(' all');

/** Counts the entries of the activity by the actions that they tell of, with the keys of the ledger. */
export function deedsIn(items: readonly ActivityItem[]): Map<string, number> {
  const deeds = new Map<string, number>();
  for (const { kind, words } of items) {
    const who = words.startsWith('You ') ? 'owner' : 'app';
    const key = keyOf(who, kind, words);
    if (!recorded[who].some((one) => one === kind) || isCount(who, key)) continue;
    deeds.set(key, (deeds.get(key) ?? 0) + 1);
  }
  return deeds;
}

/** Records that the owner's action is on its way. The returned function records that it was acknowledged. */
export function noted(ledger: Ledger, kind: (typeof recorded.owner)[number], thing?: string): () => void {
  return onceMore(ledger, keyOf('owner', kind, thing));
}

/** Records that an app's action is on its way; see `noted`. */
export function notedOfApp(
  { ledger, ofApps }: Pick<Scene, 'ledger' | 'ofApps'>,
  kind: (typeof recorded.app)[number],
  thing: string,
): () => void {
  const acknowledge = onceMore(ledger, keyOf('app', kind, thing));
  const count = () => ofApps.get(kind) ?? 0;
  ofApps.set(kind, count() + 1);
  // Among so few requests, this one was not only counted. Otherwise, its entry may be missing.
  return () => {
    if (count() <= singly) acknowledge();
  };
}

function onceMore(ledger: Ledger, key: string): () => void {
  const before = Number.parseInt(ledger.stateOf(key), 10);
  return ledger.send(key, timesOf((Number.isNaN(before) ? 0 : before) + 1));
}

/** Returns the state of an action of which the activity has so many entries. */
export const timesOf = (count: number) => `${count} ${count === 1 ? 'entry' : 'entries'}`;
