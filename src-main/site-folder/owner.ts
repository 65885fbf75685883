import type { Handlers, Result } from '../contract/contract.ts';
import type { Post, PostKind } from '../contract/posts.ts';
import {
  generatorNames,
  type FolderItem,
  type SiteFolderSettings,
  type SiteFolderStatus,
} from '../contract/site-folder.ts';
import type { OwnerPostStore } from '../posts/micropub/owner-post-store.ts';
import { postKindOf } from '../posts/kind.ts';
import { isListed } from '../posts/visibility.ts';
import { snippetFor } from './folder-mentions.ts';
import { PublishingTrouble } from './publishing/folder-target.ts';
import type { PublishingItem, PublishingQueue } from './publishing/publishing-queue.ts';
import { folderProblem } from './site-folder-settings.ts';
import { PorchlightError } from '../contract/error.ts';
import { itemOf } from '../posts/owner.ts';

/** The latest change that went live on the owner's site. */
export type LastChange = SiteFolderStatus['last'];

interface FolderStatusDeps {
  readonly settings: () => SiteFolderSettings;
  readonly queue: PublishingQueue;
  readonly posts: Pick<OwnerPostStore, 'list' | 'get' | 'giveHome' | 'homeless'>;
  readonly base: () => string;
  /** Returns the time in ms. */
  readonly clock: () => number;
  readonly last: () => LastChange;
  /** Returns why the latest changes could not be scheduled for publishing; undefined if scheduling worked. */
  readonly unplanned: () => string | undefined;
  /** Returns why Porchlight can't use git in the folder, or doesn't push from it; undefined if it does both. */
  readonly warning: () => Promise<string | undefined>;
}

interface SiteFolderDeps extends FolderStatusDeps {
  readonly detect: (path: string) => Promise<Result<'siteFolder.detect'>>;
  /**
   * Returns the file that Porchlight would write for a post, or for an example post of a kind, with the given settings.
   */
  readonly preview: (
    post: Post | PostKind,
    settings: SiteFolderSettings,
  ) => Promise<Omit<Result<'siteFolder.preview'>, 'isExample'>>;
  /**
   * Counts the posts that were already in the folder. Returns how many of them apps can see, and why apps can't see the
   * others.
   */
  readonly adopted: () => Result<'siteFolder.adopted'>;
  /**
   * Returns the names of all files in the folder.
   * @throws PublishingTrouble
   */
  readonly fileNames: () => Promise<ReadonlySet<string>>;
  /** Called after posts have received their URLs on the owner's site. */
  readonly homesGiven: () => Promise<void>;
}

const mostItems = 100;
const page = 200;

/** Creates the handlers for the window's calls about the folder of the owner's own site. */
export function siteFolderHandlers(deps: SiteFolderDeps) {
  const { settings, queue, posts, clock } = deps;
  const status = () => folderStatus(deps);

  async function fileNames(): Promise<ReadonlySet<string>> {
    try {
      return await deps.fileNames();
    } catch (error) {
      if (!(error instanceof PublishingTrouble)) throw error;
      throw new PorchlightError('temporarily_unavailable', error.words, 503, { cause: error });
    }
  }

  return {
    'siteFolder.detect': ({ path }) => deps.detect(path),

    'siteFolder.preview': async ({ kind = 'note', settings: unsaved }) => {
      const requested = { ...settings(), ...unsaved };
      const problem = folderProblem(requested);
      if (problem !== undefined) throw new PorchlightError('invalid_request', problem);
      const { items } = await posts.list({
        limit: 20,
        filter: { kind, status: 'published', publishedBy: clock() },
      });
      const found = items.find((post) => isListed(post, clock()) && postKindOf(post) === kind);
      return { ...(await deps.preview(found ?? kind, requested)), isExample: found === undefined };
    },

    'siteFolder.status': () => status(),

    'siteFolder.adopted': () => deps.adopted(),

    'siteFolder.publishAll': async () => {
      const names = await fileNames();
      const keys: string[] = [];
      let after: string | undefined;
      do {
        const listed = await posts.list({ limit: page, after, filter: { status: 'published' } });
        for (const { path } of listed.items) {
          const { home } = await posts.giveHome(path);
          const written = Object.keys(home?.written ?? {});
          // Files that were published before can be missing, for example after the owner has reset the branch.
          if (home && (written.length === 0 || written.some((file) => !names.has(file)))) keys.push(path);
        }
        ({ after } = listed);
      } while (after !== undefined);
      // The posts are queued together, so that they become one commit.
      await queue.add(keys.map((key) => ({ publisher: 'posts', key, quiet: true })));
      await deps.homesGiven();
      return { posts: keys.length };
    },

    'siteFolder.retry': async ({ id, replace = false }) => {
      if (replace && id === undefined)
        throw new PorchlightError('invalid_request', 'Choose the post whose file Porchlight may replace.');
      await queue.retry(id, replace);
      return status();
    },

    'siteFolder.snippet': ({ generator = settings().generator }) => snippetFor(generator),
  } satisfies Partial<Handlers>;
}

/** Returns the status of publishing to the folder, with a message for the owner. */
export async function folderStatus(deps: FolderStatusDeps): Promise<SiteFolderStatus> {
  const { settings, queue, posts, base } = deps;
  const now = deps.clock();
  // Leaves out scheduled posts, because they don't need the owner's attention.
  const entries = queue.list().filter((entry) => !isScheduled(entry, now));
  const conflicts = entries.filter(({ state }) => state === 'conflict');
  const shown = [...conflicts, ...entries.filter(({ state }) => state !== 'conflict')].slice(0, mostItems);
  const items: FolderItem[] = [];
  for (const entry of shown) {
    const details = queue.details(entry.id);
    // Its attempt has just ended.
    if (details === undefined) continue;
    const item = itemOfEntry({ ...entry, ...details }, await posts.get(entry.key), base(), now);
    items.push(settings().on || entry.state === 'conflict' ? item : { ...item, words: offWords });
  }
  const counts = {
    waiting: entries.length,
    conflicts: conflicts.length,
    unpublished: await posts.homeless(),
  };
  return { ...(await stateOf(deps, entries)), ...counts, last: deps.last(), items };
}

const isScheduled = ({ state, failures, due }: PublishingItem, now: number) =>
  state === 'waiting' && failures === 0 && due > now;

async function stateOf(
  { settings, queue, unplanned, warning }: FolderStatusDeps,
  entries: readonly PublishingItem[],
): Promise<Pick<SiteFolderStatus, 'state' | 'words'>> {
  const { on, generator } = settings();
  /** Returns the message about an entry's most recent event. */
  const entryWords = ({ id }: PublishingItem) => queue.details(id)?.words ?? '';
  const count = (is: PublishingItem['state']) => entries.filter(({ state }) => state === is).length;
  const trouble = (words: string) => ({ state: 'trouble' as const, words });
  if (!on) {
    const rest =
      entries.length === 0 ? '' : ` ${changes(entries.length)} will be published when you turn it on.`;
    return { state: 'off', words: `Off.${rest}` };
  }
  const lost = unplanned();
  if (lost !== undefined)
    return trouble(
      `A change was saved, but Porchlight could not record that it has to be published. ${lost} Porchlight will try again.`,
    );
  const warned = await warning();
  if (warned !== undefined) return trouble(warned);
  const conflicts = count('conflict');
  if (conflicts > 0)
    return trouble(
      `${conflicts === 1 ? '1 post' : `${conflicts} posts`} can’t be published until you decide what to do.`,
    );
  const failing = failureAmong(entries, entryWords);
  if (failing !== undefined)
    return trouble(/tr(?:y|ies) again/.test(failing) ? failing : `${failing} Porchlight will try again.`);
  const late = entries.find(({ state }) => state === 'late');
  if (late)
    return trouble(
      `${posts(count('late'))} not live after more than an hour. ${entryWords(late)} Check the build of your site.`,
    );
  const writing = count('waiting');
  if (writing > 0 && queue.isBusy())
    return { state: 'working', words: `Writing ${changes(writing).toLowerCase()}.` };
  if (entries.length > 0)
    return {
      state: 'waiting',
      words: `Waiting for ${generatorNames[generator]} to build ${changes(entries.length).toLowerCase()}.`,
    };
  return { state: 'idle', words: 'Everything is on your site.' };
}

/** Returns why an entry could not be published at its last attempt; undefined if none failed. */
function failureAmong(
  entries: readonly PublishingItem[],
  entryWords: (entry: PublishingItem) => string,
): string | undefined {
  const waiting = entries.filter(({ state }) => state === 'waiting');
  const counted = waiting.find(({ failures }) => failures > 0);
  if (counted) return entryWords(counted);
  // Failures while this computer is offline aren't counted.
  return waiting
    .slice(0, mostItems)
    .map(entryWords)
    .find((words) => words !== '');
}

const posts = (count: number) => (count === 1 ? '1 post is' : `${count} posts are`);
const changes = (count: number) => (count === 1 ? '1 change' : `${count} changes`);

function itemOfEntry(
  entry: PublishingItem & { readonly words: string; readonly stateSince: number },
  post: Post | undefined,
  base: string,
  now: number,
): FolderItem {
  const { id, key, state, words, stateSince } = entry;
  const item = post && itemOf(post, base, now);
  return {
    id,
    state,
    words: words === '' ? usualWords[state] : words,
    url: item?.url ?? '',
    title: item?.name || item?.summary || key,
    file: post?.home?.file ?? key,
    since: new Date(stateSince).toISOString(),
  };
}

const offWords = 'Waits until you turn on publishing to this folder.';
const buildingWords = 'Written. Waiting for your site to show it.';
const usualWords = {
  waiting: 'Will be written to the folder.',
  building: buildingWords,
  late: buildingWords,
  conflict: 'Somebody else changed its file.',
} as const;
