import { isAbsolute } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Handlers, Result } from '../contract/contract.ts';
import type { Post, PostKind } from '../contract/posts.ts';
import {
  generatorNames,
  type FolderItem,
  type FolderRun,
  type SiteFolderSettings,
  type SiteFolderStatus,
} from '../contract/site-folder.ts';
import type { OwnerPostStore } from '../micropub/owner-post-store.ts';
import { GitTrouble } from '../platform/git-trouble.ts';
import { postKindOf } from '../post/kind.ts';
import { isListed } from '../post/visibility.ts';
import { PublishingTrouble } from '../site/publishers/folder-target.ts';
import { entryId, type PublishingEntry } from '../site/publishers/publishing-entry.ts';
import type { PublishingQueue } from '../site/publishers/publishing-queue.ts';
import { folderProblem } from './site-folder-settings.ts';
import { PorchlightError } from '../contract/error.ts';
import { itemOf } from './posts.ts';

/** The latest change that went live on the owner's site. */
export type LastChange = SiteFolderStatus['last'];

interface SiteFolderDeps {
  readonly settings: () => SiteFolderSettings;
  readonly queue: PublishingQueue;
  readonly posts: Pick<OwnerPostStore, 'list' | 'get' | 'giveHome' | 'homeless'>;
  readonly base: () => string;
  /** Returns the time in ms. */
  readonly clock: () => number;
  readonly last: () => LastChange;
  /** Returns why the latest changes could not be scheduled for publishing; undefined if scheduling worked. */
  readonly unplanned: () => string | undefined;
  /** Returns what git would run for the folder. `words`: why publishing waits; undefined if it doesn't wait. */
  readonly runs: () => Promise<
    Pick<SiteFolderStatus, 'runs' | 'isAllowed'> & { readonly words: string | undefined }
  >;
  /**
   * Returns what git would run for any folder, with its digest; null if the folder is in no repository.
   * @throws GitTrouble
   */
  readonly runsAt: (path: string) => Promise<{ runs: FolderRun[]; digest: string } | null>;
  /** Records that the owner agrees to what has this digest. */
  readonly allow: (digest: string) => Promise<void>;
  /** Sends the status to the windows if it has changed. */
  readonly tellStatus: () => Promise<void>;
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
  readonly snippet: (settings: SiteFolderSettings) => Result<'siteFolder.snippet'>;
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
      const wanted = { ...settings(), ...unsaved };
      const problem = folderProblem(wanted);
      if (problem !== undefined) throw new PorchlightError('invalid_request', problem);
      const { items } = await posts.list({
        limit: 20,
        filter: { kind, status: 'published', publishedBy: clock() },
      });
      const found = items.find((post) => isListed(post, clock()) && postKindOf(post) === kind);
      return { ...(await deps.preview(found ?? kind, wanted)), isExample: found === undefined };
    },

    'siteFolder.status': () => status(),

    'siteFolder.allow': async ({ path, runs }) => {
      if (!isAbsolute(path)) throw new PorchlightError('invalid_path', `“${path}” isn’t a full path.`);
      const found = await deps.runsAt(path).catch((error: unknown) => {
        if (error instanceof GitTrouble) throw new PorchlightError('invalid_path', error.words);
        throw error;
      });
      if (!isDeepStrictEqual(found?.runs ?? [], runs)) {
        await deps.tellStatus();
        throw new PorchlightError(
          'conflict',
          'The folder’s git configuration has changed. Check the folder again.',
          409,
        );
      }
      if (found) await deps.allow(found.digest);
      await deps.tellStatus();
      if (path === settings().path) await queue.retry(undefined, false);
      return status();
    },

    'siteFolder.adopted': () => Promise.resolve(deps.adopted()),

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

    'siteFolder.snippet': ({ generator }) =>
      deps.snippet({ ...settings(), ...(generator !== undefined && { generator }) }),
  } satisfies Partial<Handlers>;
}

/** Returns the status of publishing to the folder, with a message for the owner. */
export async function folderStatus({
  settings,
  queue,
  posts,
  base,
  clock,
  last,
  unplanned,
  runs,
}: Pick<
  SiteFolderDeps,
  'settings' | 'queue' | 'posts' | 'base' | 'clock' | 'last' | 'unplanned' | 'runs'
>): Promise<SiteFolderStatus> {
  const now = clock();
  // Leaves out scheduled posts, because they don't need the owner's attention.
  const entries = queue.list().filter((entry) => !isScheduled(entry, now));
  const conflicts = entries.filter(({ state }) => state === 'conflict');
  const shown = [...conflicts, ...entries.filter(({ state }) => state !== 'conflict')].slice(0, mostItems);
  const items: FolderItem[] = [];
  for (const entry of shown) {
    const item = itemOfEntry(entry, await posts.get(entry.key), base(), now);
    items.push(settings().on || entry.state === 'conflict' ? item : { ...item, words: offWords });
  }
  const counts = {
    waiting: entries.length,
    conflicts: conflicts.length,
    unpublished: await posts.homeless(),
  };
  const { words, ...found } = await runs();
  const state = stateOf(entries, settings(), {
    isBusy: queue.isBusy(),
    unplanned: unplanned(),
    blocked: words,
  });
  return { ...state, ...counts, last: last(), items, ...found };
}

const isScheduled = ({ state, failures, due }: PublishingEntry, now: number) =>
  state === 'waiting' && failures === 0 && Date.parse(due) > now;

function stateOf(
  entries: readonly PublishingEntry[],
  { on, generator }: SiteFolderSettings,
  {
    isBusy,
    unplanned,
    blocked,
  }: { isBusy: boolean; unplanned: string | undefined; blocked: string | undefined },
): Pick<SiteFolderStatus, 'state' | 'words'> {
  const count = (is: (entry: PublishingEntry) => boolean) => entries.filter(is).length;
  if (!on) {
    const rest =
      entries.length === 0 ? '' : ` ${changes(entries.length)} will be published when you turn it on.`;
    return { state: 'off', words: `Off.${rest}` };
  }
  if (unplanned !== undefined)
    return {
      state: 'trouble',
      words: `A change was saved, but Porchlight could not record that it has to be published. ${unplanned} Porchlight will try again.`,
    };
  if (blocked !== undefined) return { state: 'trouble', words: blocked };
  const conflicts = count(({ state }) => state === 'conflict');
  if (conflicts > 0)
    return {
      state: 'trouble',
      words: `${conflicts === 1 ? '1 post' : `${conflicts} posts`} can’t be published until you decide what to do.`,
    };
  const failing = entries.find(({ state, failures }) => state === 'waiting' && failures > 0);
  if (failing)
    return {
      state: 'trouble',
      words: /tr(?:y|ies) again/.test(failing.words)
        ? failing.words
        : `${failing.words} Porchlight will try again.`,
    };
  const late = entries.find((entry) => entry.late);
  if (late)
    return {
      state: 'trouble',
      words: `${posts(count((entry) => entry.late === true))} not live after more than an hour. ${late.words} Check the build of your site.`,
    };
  const writing = count(({ state }) => state === 'waiting');
  if (writing > 0 && isBusy) return { state: 'working', words: `Writing ${changes(writing).toLowerCase()}.` };
  if (entries.length > 0)
    return {
      state: 'waiting',
      words: `Waiting for ${generatorNames[generator]} to build ${changes(entries.length).toLowerCase()}.`,
    };
  return { state: 'idle', words: 'Everything is on your site.' };
}

const posts = (count: number) => (count === 1 ? '1 post is' : `${count} posts are`);
const changes = (count: number) => (count === 1 ? '1 change' : `${count} changes`);

const stateNames = {
  waiting: 'waiting',
  building: 'building',
  conflict: 'conflict',
  done: 'building',
} as const;

function itemOfEntry(entry: PublishingEntry, post: Post | undefined, base: string, now: number): FolderItem {
  const item = post && itemOf(post, base, now);
  const words = entry.words === '' ? usualWords[entry.state] : entry.words;
  return {
    id: entryId(entry),
    url: item?.url ?? '',
    title: item?.name || item?.summary || entry.key,
    file: post?.home?.file ?? entry.key,
    state: entry.late ? 'late' : stateNames[entry.state],
    words,
    since: entry.stateSince,
  };
}

const offWords = 'Waits until you turn on publishing to this folder.';
const usualWords = {
  waiting: 'Will be written to the folder.',
  building: 'Written. Waiting for your site to show it.',
  conflict: 'Somebody else changed its file.',
  done: '',
} as const;
