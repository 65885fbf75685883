import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { RestoreChange } from '../../contract/data.ts';
import type { GuardedState } from '../../contract/restore-settings.ts';
import { portFormat } from '../../http/listener.ts';
import { filesDeletedHere, keepFilesDeleted } from '../../media/deleted-files.ts';
import { keepPostsWithdrawn, withdrawnPosts } from '../../posts/withdrawn-posts.ts';
import { readDocument, replaceByCopy } from '../../storage/unopened.ts';
import { blockedIn, keepBlocked } from '../../mentions/blocked.ts';
import { countOutgoing, keepOutgoing } from '../../mentions/receiving/waiting-work.ts';
import { keepMentionsWithdrawn, withdrawnMentions } from '../../mentions/withdrawn-mentions.ts';
import { replaceRows, rowsIn } from '../../storage/records/stored-rows.ts';
import { receivedTable } from '../../mentions/receiving/received-mentions.ts';
import { hubTables, intentTable, subscriptionTable } from '../../site/websub/subscription-tables.ts';
import { cloudflareFormat, cloudflareName } from '../../address/cloudflare/record.ts';
import { allowedIn, folderConsentName } from '../../site-folder/folder-consent.ts';
import { shown } from './setting-changes.ts';

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

const inPosts = (dir: string) => join(dir, 'posts');

/**
 * Returns the result of `compare` when `count` items of the backup were deleted or made less visible on this computer;
 * undefined if `count` is 0.
 */
const onlyThere = (count: number) => (count > 0 ? { here: 0, there: count } : undefined);

export const carriedState: Readonly<Record<GuardedState, CarriedState>> = {
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
      // The restore blocks the backup's domains in any case. The owner has a choice only if this computer blocks
      // domains that the backup doesn't block.
      if (ours.every((domain) => known.has(domain))) return undefined;
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
  'siteFolder.allowed': {
    async compare(here, there) {
      const [ours, theirs] = [await allowedIn(here), await allowedIn(there)];
      return theirs.every((one) => ours.includes(one))
        ? undefined
        : { here: ours.length, there: theirs.length };
    },
    keep: (here, there) => replaceByCopy(join(there, folderConsentName), join(here, folderConsentName)),
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
  'posts.withdrawn': {
    compare: async (here, there) => onlyThere(await countOf(withdrawnPosts(inPosts(here), inPosts(there)))),
    keep: (here, there) => keepPostsWithdrawn(inPosts(here), inPosts(there)),
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
