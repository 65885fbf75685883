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
  /** Resolves with what a page shows of a post; see isLive in live-mark.ts. */
  readonly readPage: (page: string, post: PostAtHome) => Promise<{ live: boolean; hasOwnUrl: boolean }>;
  /** Returns the paths of the posts with a file of the folder. */
  readonly usersOf: (file: string) => Promise<readonly string[]>;
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
  /** The files that earlier attempts were about to write, with their SHA-256. */
  readonly writing: PublishingEntry['writing'];
  /** Files that the plan leaves alone: they are the owner's, or another post uses them. */
  readonly leaves: Set<string>;
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
    const common = { entry, post, home, writing: entry.writing, leaves: new Set<string>() };
    const isNew = Object.keys(home.written).length === 0;
    if (!isReadable(post, now()))
      return { ...common, files: new Map(), hashes: {}, message: `Remove ${home.file}` };
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
    return { ...common, files, hashes, message };
  }

  return {
    name: 'posts',
    batch: mostAtOnce,

    async publish(entries, work) {
      const outcomes = new Map<string, Outcome>();
      const byPath = new Map<string, Plan>();
      for (const entry of entries) {
        const id = entryId(entry);
        try {
          const plan = await planOf(entry);
          const same = plan && byPath.get(plan.post.path);
          if (plan === undefined || same !== undefined) outcomes.set(id, { kind: 'done' });
          // The post has moved: what was begun under its old path belongs to it.
          if (same) byPath.set(same.post.path, { ...same, writing: { ...entry.writing, ...same.writing } });
          else if (plan) byPath.set(plan.post.path, plan);
        } catch (error) {
          outcomes.set(id, { kind: 'failed', words: wordsOf(error) });
        }
      }
      const plans: Plan[] = [];
      for (const plan of byPath.values()) {
        if (!isUpToDate(plan)) plans.push(plan);
        else if (isReadable(plan.post, now())) outcomes.set(entryId(plan.entry), { kind: 'building' });
        else outcomes.set(entryId(plan.entry), restOf(plan.post, now()));
      }
      if (plans.length === 0) return outcomes;
      for (const [id, outcome] of await write(await deps.target(), plans, work)) outcomes.set(id, outcome);
      return outcomes;
    },

    async check(entry, signal) {
      const post = await postOf(entry);
      if (post?.home === undefined) return { kind: 'done' };
      const { status, text } = await deps.page(post.home.url, signal);
      const isPage = status >= 200 && status < 300;
      const isPublic = isReadable(post, now());
      const { home } = post;
      const seen = isPage ? await deps.readPage(text, { ...post, home }) : { live: false, hasOwnUrl: false };
      // A page that is to go is there in whatever version.
      const isThere = isPublic ? seen.live && seen.hasOwnUrl : seen.hasOwnUrl;
      if (isPublic !== isThere)
        return { kind: 'failed', words: isPublic ? waitingWords(status) : stillThere };
      const liveAt = isPublic ? (home.liveAt ?? new Date(now()).toISOString()) : null;
      const after = await posts.setHome(post.path, (known) => known && { ...known, liveAt });
      deps.live(after, entry);
      return restOf(after, now());
    },
  };

  /** Leaves alone what a plan would remove although somebody else needs it: another post, or the owner. */
  async function sparing(plans: readonly Plan[], found: ReadonlyMap<string, string | null>): Promise<void> {
    const wanted = new Set(plans.flatMap((plan) => [...plan.files.keys()]));
    for (const plan of plans)
      for (const file of touched(plan)) {
        if (plan.files.has(file)) continue;
        const isOwners = !isNeeded(plan, file) && isForeign(plan, file, found.get(file) ?? null);
        const users = (await deps.usersOf(file)).filter((path) => path !== plan.post.path);
        const removed = new Set(plans.filter(({ files }) => files.size === 0).map(({ post }) => post.path));
        if (isOwners || wanted.has(file) || users.some((path) => !removed.has(path))) plan.leaves.add(file);
      }
  }

  async function write(
    target: FolderTarget,
    all: readonly Plan[],
    { begin }: PublishingWork,
  ): Promise<Map<string, Outcome>> {
    const outcomes = new Map<string, Outcome>();
    let plans = all;
    try {
      const found = await target.hashes([...new Set(all.flatMap((plan) => [...touched(plan)]))]);
      await sparing(all, found);
      plans = all.filter((plan) => {
        const foreign = changedBy(plan).filter((file) => isForeign(plan, file, found.get(file) ?? null));
        if (foreign.length > 0) outcomes.set(entryId(plan.entry), conflictWith(foreign));
        return foreign.length === 0;
      });
      if (plans.length === 0) return outcomes;
      await begin(new Map(plans.map(({ entry, hashes }) => [entryId(entry), hashes])));
      await target.write(changesOf(plans, found));
    } catch (error) {
      const files = error instanceof PublishingTrouble ? new Set(error.files) : new Set<string>();
      const isConcerned = (plan: Plan) => changedBy(plan).some((file) => files.has(file));
      if (!plans.some(isConcerned)) throw error;
      for (const plan of plans)
        outcomes.set(
          entryId(plan.entry),
          isConcerned(plan)
            ? { kind: 'conflict', words: wordsOf(error) }
            : { kind: 'later', words: '', at: now() },
        );
      return outcomes;
    }
    for (const plan of plans) {
      const { post, hashes, files } = plan;
      await posts.setHome(
        post.path,
        (home) => home && { ...home, written: { ...hashes }, liveAt: files.size === 0 ? null : home.liveAt },
      );
      outcomes.set(entryId(plan.entry), { kind: 'building' });
    }
    return outcomes;
  }
}

/** Returns the files that a plan changes. */
const changedBy = (plan: Plan) => [...touched(plan)].filter((file) => !plan.leaves.has(file));

const wordsOf = (error: unknown) =>
  error instanceof PublishingTrouble
    ? error.words
    : 'The post could not be read. Check the files that it uses.';

/** Returns the files that a plan writes or removes, including those that an earlier attempt may have written. */
const touched = ({ files, home, writing }: Plan) =>
  new Set([...files.keys(), ...Object.keys(home.written), ...Object.keys(writing)]);

/** Returns whether the files are known to be as they should be: no earlier attempt may have left others. */
function isUpToDate({ hashes, home, writing }: Plan): boolean {
  const names = Object.keys(hashes);
  const isSame = names.every((file) => home.written[file] === hashes[file]);
  return isSame && names.length === Object.keys(home.written).length && Object.keys(writing).length === 0;
}

/** Returns what is left to do for a post that is as it should be at `now` (ms). */
function restOf(post: Post, now: number): Outcome {
  const at = publishedAt(post);
  return isOpen(post) && at > now
    ? { kind: 'later', at, words: 'Will be published at its date.' }
    : { kind: 'done' };
}

/** Returns whether a file has a content that Porchlight neither wrote nor was about to write. */
function isForeign({ entry, home, hashes, writing }: Plan, file: string, found: string | null): boolean {
  if (found === null || entry.replace) return false;
  return ![home.written[file], hashes[file], ...(writing[file] ?? [])].includes(found);
}

/** Returns whether a plan needs a file: one that only an earlier attempt was about to write may be the owner's now. */
const isNeeded = ({ files, home }: Plan, file: string) => files.has(file) || file in home.written;

/**
 * Returns the changes that make the files as they should be. Posts that are no news share a change, so that publishing
 * all of them is one commit. `found`: the hashes of the files as they are.
 */
function changesOf(plans: readonly Plan[], found: ReadonlyMap<string, string | null>): FolderChange[] {
  /** The files as the changes so far leave them. */
  const now = new Map(found);
  const changeOf = (some: readonly Plan[], message: string): FolderChange => {
    const files = new Map<string, FileContent | null>();
    const expected = new Map<string, string | null>();
    for (const plan of some)
      for (const file of changedBy(plan)) {
        files.set(file, plan.files.get(file) ?? null);
        expected.set(file, now.get(file) ?? null);
      }
    for (const plan of some) for (const file of changedBy(plan)) now.set(file, plan.hashes[file] ?? null);
    return { files, expected, message };
  };
  const news = plans.filter(({ entry }) => !entry.quiet);
  const others = plans.filter(({ entry }) => entry.quiet);
  const changes = news.map((plan) => changeOf([plan], plan.message));
  if (others.length === 0) return changes;
  const message = others.length === 1 ? (others[0]?.message ?? '') : `Publish ${others.length} posts`;
  return [...changes, changeOf(others, message)];
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
