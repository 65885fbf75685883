import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Post, PostHome } from '../../contract/posts.ts';
import { publishedAt } from '../../post/published.ts';
import { isOpen, isReadable } from '../../post/visibility.ts';
import type { PostAtHome } from '../folder/live-mark.ts';
import {
  conflictWith,
  PublishingTrouble,
  type FileContent,
  type FolderChange,
  type FolderTarget,
} from './folder-target.ts';
import type { Outcome, Publisher, PublishingWork } from './publisher.ts';
import { entryId, type PublishingEntry } from './publishing-entry.ts';

/** A post as a file of the owner's folder. */
export interface WrittenPost {
  /** Relative to the folder. */
  readonly file: string;
  readonly text: string;
  /** The media files of the post: the path on this server, and the file in the folder. */
  readonly media: readonly { readonly path: string; readonly file: string }[];
  /** A title for the history. */
  readonly title: string;
}

/** What is at a post's URL. `text`: empty if there is no page. */
export interface LivePage {
  readonly status: number;
  readonly text: string;
}

interface PostPublisherDeps {
  readonly posts: {
    get(path: string): Promise<Post | undefined>;
    movedTo(path: string): Promise<string | undefined>;
    setHome(path: string, edit: (home: PostHome | undefined) => PostHome | undefined): Promise<Post>;
  };
  /**
   * Returns the folder, as the settings name it.
   * @throws PublishingTrouble
   */
  readonly target: () => Promise<FolderTarget>;
  readonly fileOf: (post: PostAtHome) => Promise<WrittenPost>;
  /** Returns where a media file is on this computer; undefined if it was deleted. `path`: `/media/...`. */
  readonly mediaFile: (path: string) => Promise<string | undefined>;
  /**
   * Fetches a page of the owner's site.
   * @throws Error with words for the owner
   */
  readonly page: (url: string, signal: AbortSignal) => Promise<LivePage>;
  /** Resolves with whether a page shows the current version of a post, with the post's own URL. */
  readonly isLive: (page: string, post: PostAtHome) => Promise<boolean>;
  /** Called when a post became live, or when its page is gone. */
  readonly live: (post: Post, entry: PublishingEntry) => void;
  /** Returns the time in ms. */
  readonly now: () => number;
}

/** The files that a post should have, and those that it no longer has. */
interface Plan {
  readonly entry: PublishingEntry;
  readonly post: Post;
  readonly home: PostHome;
  /** The post's own file; null if it should have none. */
  readonly file: string | null;
  readonly files: ReadonlyMap<string, FileContent>;
  readonly hashes: Readonly<Record<string, string>>;
  readonly message: string;
}

const mostAtOnce = 500;
const buildingWords = 'The page isn’t live yet.';

/** Creates the publisher of posts in the owner's folder. */
export function createPostPublisher(deps: PostPublisherDeps): Publisher {
  const { posts, now } = deps;

  async function postOf({ key }: PublishingEntry): Promise<Post | undefined> {
    const moved = await posts.movedTo(key);
    return posts.get(moved ?? key);
  }

  async function planOf(entry: PublishingEntry): Promise<Plan | undefined> {
    const post = await postOf(entry);
    if (post?.home === undefined) return undefined;
    const { home } = post;
    const isNew = Object.keys(home.written).length === 0;
    if (!isReadable(post, now()))
      return { entry, post, home, file: null, files: new Map(), hashes: {}, message: `Remove ${home.file}` };
    const { file, text, media, title } = await deps.fileOf({ ...post, home });
    const files = new Map<string, FileContent>([[file, { text }]]);
    const hashes: Record<string, string> = { [file]: hashOf(text) };
    for (const one of media) {
      const copyOf = await deps.mediaFile(one.path);
      if (copyOf === undefined) continue;
      files.set(one.file, { copyOf });
      hashes[one.file] = await hashOfFile(copyOf);
    }
    const message = `${isNew ? 'Publish' : 'Update'} ${JSON.stringify(title)}`;
    return { entry, post, home, file, files, hashes, message };
  }

  return {
    name: 'posts',
    batch: mostAtOnce,

    async publish(entries, work) {
      const outcomes = new Map<string, Outcome>();
      const plans: Plan[] = [];
      for (const entry of entries) {
        const plan = await planOf(entry);
        if (plan === undefined) outcomes.set(entryId(entry), { kind: 'done' });
        else if (isUpToDate(plan))
          outcomes.set(
            entryId(entry),
            isReadable(plan.post, now()) ? { kind: 'building' } : restOf(plan.post, now()),
          );
        else plans.push(plan);
      }
      if (plans.length === 0) return outcomes;
      const target = await deps.target();
      const found = await target.hashes(plans.flatMap((plan) => [...touched(plan)]));
      const free = plans.filter((plan) => {
        const foreign = [...touched(plan)].filter((file) => isForeign(plan, file, found.get(file) ?? null));
        if (foreign.length > 0) outcomes.set(entryId(plan.entry), conflictWith(foreign));
        return foreign.length === 0;
      });
      for (const [id, outcome] of await write(target, free, work)) outcomes.set(id, outcome);
      return outcomes;
    },

    async check(entry, signal) {
      const post = await postOf(entry);
      if (post?.home === undefined) return { kind: 'done' };
      const { status, text } = await deps.page(post.home.url, signal);
      const isPage = status >= 200 && status < 300;
      const isPublic = isReadable(post, now());
      const { home } = post;
      const isThere = isPage && (await deps.isLive(text, { ...post, home }));
      if (isPublic !== isThere)
        return { kind: 'failed', words: isPublic ? waitingWords(status) : stillThere };
      const liveAt = isPublic ? (home.liveAt ?? new Date(now()).toISOString()) : null;
      const after = await posts.setHome(post.path, (known) => known && { ...known, liveAt });
      deps.live(after, entry);
      return restOf(after, now());
    },
  };

  async function write(
    target: FolderTarget,
    plans: readonly Plan[],
    { begin }: PublishingWork,
  ): Promise<Map<string, Outcome>> {
    const outcomes = new Map<string, Outcome>();
    if (plans.length === 0) return outcomes;
    await begin(new Map(plans.map(({ entry, hashes }) => [entryId(entry), hashes])));
    try {
      await target.write(changesOf(plans));
    } catch (error) {
      const files = error instanceof PublishingTrouble ? new Set(error.files) : new Set<string>();
      if (files.size === 0) throw error;
      for (const plan of plans) {
        const foreign = [...touched(plan)].filter((file) => files.has(file));
        const again = { kind: 'later', words: '', at: now() } as const;
        outcomes.set(entryId(plan.entry), foreign.length > 0 ? conflictWith(foreign) : again);
      }
      return outcomes;
    }
    for (const plan of plans) {
      const { post, file, hashes } = plan;
      await posts.setHome(
        post.path,
        (home) =>
          home && {
            ...{ ...home, written: hashes, file: file ?? home.file },
            liveAt: file === null ? null : home.liveAt,
          },
      );
      outcomes.set(entryId(plan.entry), { kind: 'building' });
    }
    return outcomes;
  }
}

/** Returns the files that a plan writes or removes. */
const touched = ({ files, home }: Plan) => new Set([...files.keys(), ...Object.keys(home.written)]);

function isUpToDate({ hashes, home }: Plan): boolean {
  const names = Object.keys(hashes);
  const isSame = names.every((file) => home.written[file] === hashes[file]);
  return isSame && names.length === Object.keys(home.written).length;
}

/** Returns what is left to do for a post that is as it should be at `now` (ms). */
function restOf(post: Post, now: number): Outcome {
  const at = publishedAt(post);
  return isOpen(post) && at > now
    ? { kind: 'later', at, words: 'Will be published at its date.' }
    : { kind: 'done' };
}

/** Returns whether a file has a content that Porchlight neither wrote nor was about to write. */
function isForeign({ entry, home, hashes }: Plan, file: string, found: string | null): boolean {
  if (found === null || entry.replace) return false;
  return ![home.written[file], hashes[file], ...(entry.writing[file] ?? [])].includes(found);
}

/** Posts that are no news share a change, so that publishing all of them is one commit. */
function changesOf(plans: readonly Plan[]): FolderChange[] {
  const filesOf = (plan: Plan) =>
    [...touched(plan)].map((file): [string, FileContent | null] => [file, plan.files.get(file) ?? null]);
  const news = plans.filter(({ entry }) => !entry.quiet);
  const others = plans.filter(({ entry }) => entry.quiet);
  const changes = news.map((plan) => ({ files: new Map(filesOf(plan)), message: plan.message }));
  if (others.length === 0) return changes;
  const message = others.length === 1 ? (others[0]?.message ?? '') : `Publish ${others.length} posts`;
  return [...changes, { files: new Map(others.flatMap(filesOf)), message }];
}

const stillThere = 'The page is still on your site.';

function waitingWords(status: number): string {
  return status === 200
    ? 'Your site still shows the page as it was before.'
    : `${buildingWords} Your site answered with ${status}.`;
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

async function hashOfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
