import { isAbsolute, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { cloudflareFormat, cloudflareName } from '../address/cloudflare/record.ts';
import type { ChangeValue, RestoreChange } from '../contract/data.ts';
import { PorchlightError } from '../contract/error.ts';
import type { Post } from '../contract/posts.ts';
import { type GuardedState, isTaken } from '../contract/restore-settings.ts';
import { Settings } from '../contract/settings.ts';
import { closed, Maybe } from '../contract/shapes.ts';
import type { Pending } from '../data/backup/pending.ts';
import { portFormat } from '../http/listener.ts';
import { filesDeletedHere, keepFilesDeleted } from '../media/media-rows.ts';
import { blockedIn, keepBlocked } from '../mentions/blocked.ts';
import { receivedTable } from '../mentions/receiving/received-mentions.ts';
import {
  countOutgoing,
  keepMentionsWithdrawn,
  keepOutgoing,
  withdrawnMentions,
} from '../mentions/restored-mentions.ts';
import { scheduleOf } from '../platform/retry-schedule.ts';
import { phoneTable } from '../phones/phones.ts';
import type { PostLists } from '../posts/post-store.ts';
import { keepPostsWithdrawn, withdrawnPosts } from '../posts/withdrawn-posts.ts';
import { keepGrants, keepRevoked } from '../sign-in/grant.ts';
import { ownerPhotoOf } from '../site/owner-photo.ts';
import { hubTables, intentTable, subscriptionTable } from '../site/websub/subscription.ts';
import { documentsIn, readDocument, replaceByCopy } from '../storage/document.ts';
import { replaceRows, rowsIn } from '../storage/records/closed-records.ts';
import type { Recovery } from '../storage/recovery.ts';
import type { WorkQueue } from '../storage/work/work.ts';
import { checkSettings, openSettings, writeSettings } from './settings.ts';

/** The names of all settings in the schema, such as `signIn.allowWithoutPkce`. */
export const settingNames: readonly string[] = Object.entries(Settings.properties).flatMap(([area, schema]) =>
  Object.keys(schema.properties).map((key) => `${area}.${key}`),
);

type Areas = Record<string, Record<string, unknown>>;

/** Lists the changes that a backup's settings would make on this computer. Leaves out the settings that a restore
 * takes without asking. */
export function settingChanges(here: Settings, there: Settings): RestoreChange[] {
  return settingNames
    .filter((name) => !isTaken(name) && !isDeepStrictEqual(valueOf(here, name), valueOf(there, name)))
    .map((setting) => {
      const [ours, theirs] = [readableOf(here, setting), readableOf(there, setting)];
      return { setting, here: shown(ours, theirs), there: shown(theirs, ours) };
    });
}

/** Returns this computer's settings, with the backup's values of accepted settings and of those
 * that need no question. */
export function mergedSettings(here: Settings, there: Settings, accept: ReadonlySet<string>): Settings {
  const merged: Areas = structuredClone(here);
  for (const name of settingNames) {
    if (!isTaken(name) && !accept.has(name)) continue;
    const [area, key] = partsOf(name);
    Object.assign(merged[area] ?? {}, { [key]: structuredClone(valueOf(there, name)) });
  }
  return merged as Settings;
}

/**
 * Returns a backup's settings. If the folder for weekly backups has a path from another operating system, leaves that
 * folder out.
 */
export function usableHere(there: Settings): Settings {
  const isUsable = isAbsolute(there.backup.folder);
  return isUsable ? there : { ...there, backup: { ...there.backup, folder: '' } };
}

function valueOf(settings: Settings, name: string): unknown {
  const [area, key] = partsOf(name);
  return (settings as Areas)[area]?.[key];
}

/** Returns a setting's value for display. Represents an uploaded photo by a short hash of its content. */
function readableOf(settings: Settings, name: string): unknown {
  const photo = name === 'profile.photo' ? ownerPhotoOf(settings.profile) : null;
  return photo === null ? valueOf(settings, name) : `Uploaded photo ${photo.name.slice(0, 8)}`;
}

function partsOf(name: string): [string, string] {
  const [area = '', key = ''] = name.split('.');
  return [area, key];
}

/** The maximum number of list entries to show. Further entries are only counted. */
const mostShown = 100;

/** Returns a setting's value for display. List entries that are missing from the `other` value come first. */
export function shown(value: unknown, other: unknown): ChangeValue {
  if (Array.isArray(value)) {
    const known = new Set(Array.isArray(other) ? other.map(entryOf) : []);
    const entries = value.map(entryOf);
    const sorted = [...entries.filter((one) => !known.has(one)), ...entries.filter((one) => known.has(one))];
    const rest = sorted.length - mostShown;
    return rest > 0 ? [...sorted.slice(0, mostShown), `and ${rest} more`] : sorted;
  }
  if (value === null || ['boolean', 'number', 'string'].includes(typeof value)) return value as ChangeValue;
  return JSON.stringify(value);
}

function entryOf(entry: unknown): string {
  if (typeof entry === 'string') return entry;
  const { name, uid } = entry as { name?: unknown; uid?: unknown };
  return typeof name === 'string' && typeof uid === 'string' ? `${name} (${uid})` : JSON.stringify(entry);
}

/**
 * A kind of stored data, other than settings, that a restore could change. `here`: the path of this computer's data
 * folder. `there`: the path of the unpacked backup.
 */
interface CarriedState {
  /** Returns this computer's value and the backup's value; undefined if a restore would change nothing. */
  compare(here: string, there: string): Promise<Pick<RestoreChange, 'here' | 'there'> | undefined>;
  /** Changes the data in `there` so that the restore keeps this computer's state. Idempotent. */
  keep(here: string, there: string): Promise<void>;
}

/**
 * Returns the result of `compare` when `count` items of the backup were deleted or made less visible on this computer;
 * undefined if `count` is 0.
 */
const onlyThere = (count: number) => (count > 0 ? { here: 0, there: count } : undefined);

const carriedState: Readonly<Record<GuardedState, CarriedState>> = {
  'server.port': {
    async compare(here, there) {
      const [ours, theirs] = [await portIn(here), await portIn(there)];
      return ours === theirs ? undefined : { here: ours, there: theirs };
    },
    keep: (here, there) => replaceByCopy(join(there, 'server.json'), join(here, 'server.json')),
  },
  'webmention.blockedDomains': {
    async compare(here, there) {
      const [ours, theirs] = [await blockedIn(here), await blockedIn(there)];
      const known = new Set(theirs);
      // The restore blocks the backup's people and sites in any case. The owner has a choice only if this computer
      // blocks some that the backup doesn't block.
      if (ours.every((entry) => known.has(entry))) return undefined;
      return { here: shown(ours, theirs), there: shown(theirs, ours) };
    },
    keep: keepBlocked,
  },
  'webmention.queue': {
    async compare(here, there) {
      const count = await countQueued(there);
      return count > 0 ? { here: await countQueued(here), there: count } : undefined;
    },
    keep: (here, there) => replaceRows(here, there, [receivedTable]),
  },
  'webmention.outbox': {
    async compare(here, there) {
      const count = await countOutgoing(there);
      return count > 0 ? { here: await countOutgoing(here), there: count } : undefined;
    },
    async keep(here, there) {
      // Keep the backup's rows if nothing waits in them. Then they only record what was sent, which is needed when posts
      // change later.
      if ((await countOutgoing(there)) > 0) await keepOutgoing(here, there);
    },
  },
  'cloudflare.setup': {
    async compare(here, there) {
      const [ours, theirs] = [await setupAtCloudflare(here), await setupAtCloudflare(there)];
      if (isDeepStrictEqual(ours, theirs)) return undefined;
      return { here: ours?.hostname ?? null, there: theirs?.hostname ?? null };
    },
    keep: (here, there) => replaceByCopy(join(there, cloudflareName), join(here, cloudflareName)),
  },
  'websub.subscriptions': {
    async compare(here, there) {
      const count = await countSubscriptions(there);
      return count > 0 ? { here: await countSubscriptions(here), there: count } : undefined;
    },
    keep: (here, there) => replaceRows(here, there, hubTables),
  },
  'phones.paired': {
    async compare(here, there) {
      const [ours, theirs] = [await rowsIn(here, phoneTable), await rowsIn(there, phoneTable)];
      const known = new Set(ours.map(({ public_key }) => public_key));
      if (theirs.every(({ public_key }) => known.has(public_key))) return undefined;
      return { here: ours.map(({ name }) => name), there: theirs.map(({ name }) => name) };
    },
    keep: (here, there) => replaceRows(here, there, [phoneTable]),
  },
  'posts.withdrawn': {
    compare: async (here, there) => onlyThere(await countOf(withdrawnPosts(here, there))),
    keep: keepPostsWithdrawn,
  },
  'media.deleted': {
    compare: async (here, there) => onlyThere((await filesDeletedHere(here, there)).length),
    keep: (here, there) => keepFilesDeleted(here, there),
  },
  'webmention.withdrawn': {
    compare: async (here, there) => onlyThere((await withdrawnMentions(here, there)).length),
    keep: keepMentionsWithdrawn,
  },
};

/** Returns the number of mentions that are still to be checked. */
async function countQueued(dir: string): Promise<number> {
  return (await rowsIn(dir, receivedTable)).filter(({ state }) => state === 'waiting').length;
}

async function countSubscriptions(dir: string): Promise<number> {
  const [subscriptions, requests] = [await rowsIn(dir, subscriptionTable), await rowsIn(dir, intentTable)];
  return subscriptions.length + requests.length;
}

async function setupAtCloudflare(dir: string) {
  return (await readDocument(join(dir, cloudflareName), cloudflareFormat))?.setup ?? null;
}

async function portIn(dir: string): Promise<number | null> {
  return (await readDocument(join(dir, 'server.json'), portFormat))?.port ?? null;
}

async function countOf(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for (const each = items[Symbol.asyncIterator](); !(await each.next()).done;) count += 1;
  return count;
}

/**
 * Returns the changes that restoring a backup would make to trust, reachability and privacy on this computer. `there`:
 * the path of the unpacked backup.
 * @throws PorchlightError `backup_broken` if the backup has settings that Porchlight would not have accepted
 */
export async function restoreChanges(
  there: string,
  { dataDir, settings, throwIfAborted }: { dataDir: string; settings: Settings; throwIfAborted: () => void },
): Promise<RestoreChange[]> {
  const changes = settingChanges(settings, await settingsOf(there));
  for (const [setting, state] of Object.entries(carriedState)) {
    throwIfAborted();
    const values = await state.compare(dataDir, there);
    if (values) changes.push({ setting, ...values });
  }
  return changes;
}

/**
 * Copies this computer's choices about trust, reachability and privacy into the unpacked backup at `staged`, except
 * where the owner accepted a change. Copies the current choices, which may have changed since the backup was checked.
 * Called while no file is open, before the backup's data replaces this computer's data. Idempotent, so it can run again
 * if the process is killed halfway.
 */
export async function keepTrust(
  dataDir: string,
  { staged, accept, access }: Pick<Pending, 'staged' | 'accept' | 'access'>,
  onRecovered: (recovery: Recovery) => void,
): Promise<void> {
  const accepted = new Set(accept);
  const here = await openSettings({ documents: documentsIn(dataDir, onRecovered), allowLoopbackMe: true });
  await writeSettings(staged, mergedSettings(here.get(), await settingsOf(staged), accepted));
  for (const [setting, state] of Object.entries(carriedState))
    if (!accepted.has(setting)) await state.keep(dataDir, staged);
  await (access === 'backup' ? keepRevoked : keepGrants)(dataDir, staged);
  // Keep this computer's self-test, because the findings in the backup may come from another computer.
  await replaceByCopy(join(staged, 'self-test.json'), join(dataDir, 'self-test.json'));
}

async function settingsOf(dir: string): Promise<Settings> {
  const settings = (await openSettings({ documents: documentsIn(dir), allowLoopbackMe: true })).get();
  try {
    checkSettings(settings);
  } catch (cause) {
    if (!(cause instanceof PorchlightError)) throw cause;
    throw new PorchlightError(
      'backup_broken',
      `The settings in this backup are not valid: ${cause.message} Nothing was changed.`,
      400,
      { cause },
    );
  }
  return usableHere(settings);
}

/** `after`: the cursor after which posts haven't been looked at; null at first. */
const Derivation = closed({ after: Maybe() });

/** How many posts are looked at in a turn. */
const postsAtOnce = 100;

/** The posts, and what is done for them. */
export interface Connected {
  readonly posts: Pick<PostLists, 'list'>;
  /** Queues what a post still lacks. */
  readonly derive: (posts: readonly Post[]) => Promise<void>;
}

/**
 * Queues what posts still lack after a restore, because no backup contains the queue of work. This is work itself, so it
 * continues after a kill.
 */
export function createAfterRestore(work: Pick<WorkQueue, 'defineWork'>, now: () => number) {
  let connected: Connected | undefined;
  const key = 'posts';
  const derivation = work.defineWork({
    kind: 'after-restore',
    payload: Derivation,
    retries: scheduleOf('publishing'),
    mayRun: () => connected !== undefined,
    async run({ payload: { after } }) {
      if (connected === undefined) return { kind: 'held' };
      const page = await connected.posts.list({ limit: postsAtOnce, ...(after !== null && { after }) });
      await connected.derive(page.items);
      if (page.after === undefined) return { kind: 'done' };
      return { kind: 'later', at: now(), payload: { after: page.after } };
    },
  });

  return {
    /** Records that the data was restored. Resolves once that is on disk. */
    begin: (): Promise<void> => derivation.add({ key, party: 'owner', host: key, payload: { after: null } }),
    /** Passes in the posts. Call it once, before the work is started. */
    connect: (posts: Connected): void => void (connected = posts),
  };
}
