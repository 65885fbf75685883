import type { Post, PostHome } from '../../contract/posts.ts';
import { isOpen, isReadable, publishedAt } from '../../posts/visibility.ts';
import type { PostAtHome } from '../../posts/files/live-mark.ts';
import type { OwnerPostStore } from '../../posts/micropub/owner-post-store.ts';
import { conflictWith, PublishingTrouble, type FolderTarget } from './folder-target.ts';
import {
  changedBy,
  changesOf,
  homeAfter,
  isForeign,
  isNeeded,
  planFor,
  touched,
  type Plan,
  type PlanDeps,
} from './post-plan.ts';
import {
  type CheckOutcome,
  entryId,
  type Outcome,
  type Publisher,
  type PublishingEntry,
  type PublishingWork,
} from './publisher.ts';

/** The response at a post's URL. `text`: empty if there is no page. */
export interface LivePage {
  readonly status: number;
  readonly text: string;
}

interface PostPublisherDeps extends PlanDeps {
  readonly posts: Pick<OwnerPostStore, 'get' | 'movedTo' | 'setHome' | 'usersOf'>;
  /** Returns the folder that the settings define. */
  readonly target: () => FolderTarget;
  /**
   * Fetches a page of the owner's site.
   * @throws Error with a message for the owner
   */
  readonly page: (url: string, signal: AbortSignal) => Promise<LivePage>;
  /**
   * Checks a page with `liveState` (live-mark.ts). `live`: whether the page shows the current version of the post.
   * `hasOwnUrl`: whether the page states the post's URL.
   */
  readonly readPage: (page: string, post: PostAtHome) => Promise<{ live: boolean; hasOwnUrl: boolean }>;
  /** Called when a post has become live, or when its page was removed. */
  readonly live: (post: Post, entry: PublishingEntry) => void;
}

/**
 * The maximum number of posts in one attempt. `news`: posts that are announced to subscribers. Each of these posts has
 * its own commit, which takes longer. All other posts share one commit.
 */
const mostAtOnce = { all: 10_000, news: 500 };
/**
 * Once the files of an attempt reach this total size, in bytes, further posts wait for the next attempt. This limits
 * the duration of a push.
 */
const mostBytes = 100_000_000;
/**
 * An earlier push of a withdrawn post may still arrive, even if it seemed to fail. This is the maximum delay after the
 * withdrawal, in ms.
 */
const longestPushMs = 86_400_000;
/**
 * A push that seemed to fail may still arrive later. This is the delay before the first check for such a push, in ms.
 * The pauses between further checks become longer.
 */
const soonestCheckMs = 60_000;
const buildingWords = 'The page isn’t live yet.';

/** Publishes posts in the owner's folder. */
export class PostPublisher implements Publisher {
  readonly name = 'posts';
  readonly batch = mostAtOnce;
  readonly #deps: PostPublisherDeps;

  constructor(deps: PostPublisherDeps) {
    this.#deps = deps;
  }

  async #postOf({ key }: PublishingEntry): Promise<Post | undefined> {
    const moved = await this.#deps.posts.movedTo(key);
    return this.#deps.posts.get(moved ?? key);
  }

  async publish(entries: readonly PublishingEntry[], work: PublishingWork): Promise<Map<string, Outcome>> {
    const outcomes = new Map<string, Outcome>();
    const byPath = new Map<string, Plan>();
    let bytes = 0;
    for (const entry of entries) {
      const id = entryId(entry);
      if (bytes >= mostBytes) {
        outcomes.set(id, { kind: 'later', words: '', at: this.#deps.now() });
        continue;
      }
      try {
        const plan = await planFor(this.#deps, entry, await this.#postOf(entry));
        const same = plan && byPath.get(plan.post.path);
        if (plan === undefined || same !== undefined) outcomes.set(id, { kind: 'done' });
        // If the post has moved, an earlier attempt may have written files under its old path. These files also
        // belong to the post.
        if (same) byPath.set(same.post.path, { ...same, writing: { ...entry.writing, ...same.writing } });
        else if (plan) byPath.set(plan.post.path, plan);
        bytes += plan?.bytes ?? 0;
      } catch (error) {
        outcomes.set(id, { kind: 'failed', words: failureWords(error) });
      }
    }
    // Files that were written before may be missing, for example after a branch was reset or a folder was restored.
    // So every attempt compares all files with the folder, and writes only those that differ.
    const plans = [...byPath.values()].filter((plan) => touched(plan).size > 0);
    for (const plan of byPath.values())
      if (touched(plan).size === 0)
        outcomes.set(entryId(plan.entry), restOf(plan.entry, plan.post, this.#deps.now()));
    if (plans.length === 0) return outcomes;
    for (const [id, outcome] of await this.#write(this.#deps.target(), plans, work))
      outcomes.set(id, outcome);
    return outcomes;
  }

  async check(entry: PublishingEntry, signal: AbortSignal): Promise<CheckOutcome> {
    const post = await this.#postOf(entry);
    if (post?.home === undefined) return { kind: 'done' };
    const { status, text } = await this.#deps.page(post.home.url, signal);
    const isPage = status >= 200 && status < 300;
    const isPublic = isReadable(post, this.#deps.now());
    const { home } = post;
    const seen = isPage
      ? await this.#deps.readPage(text, { ...post, home })
      : { live: false, hasOwnUrl: false };
    // After a deletion, it doesn't matter which version the page shows: any version means that the page still exists.
    const isThere = isPublic ? seen.live && seen.hasOwnUrl : seen.hasOwnUrl;
    if (isPublic && !isThere) {
      // Check for lost files only when the owner retries. Otherwise, Porchlight would forever restore a file that
      // another program keeps deleting.
      return isRetried(entry) && (await this.#hasLostFiles(home))
        ? { kind: 'later', words: '', at: this.#deps.now() }
        : { kind: 'failed', words: waitingWords(status) };
    }
    if (!isPublic && isThere)
      return (await this.#hasArrivedLate(entry, home))
        ? { kind: 'later', words: stillThere, at: this.#deps.now() }
        : { kind: 'failed', words: stillThere };
    const liveAt = isPublic ? (home.liveAt ?? new Date(this.#deps.now()).toISOString()) : null;
    const after = await this.#deps.posts.setHome(post.path, (known) => known && { ...known, liveAt });
    this.#deps.live(after, entry);
    return restOf(entry, after, this.#deps.now());
  }

  /**
   * Returns whether files that were written are now missing or changed, for example because the owner has reset the
   * branch.
   */
  async #hasLostFiles({ written }: PostHome): Promise<boolean> {
    const found = await this.#deps.target().hashes(Object.keys(written));
    return Object.entries(written).some(([file, hash]) => found.get(file) !== hash);
  }

  /**
   * Returns whether a withdrawn post's file exists again. This happens if a push that seemed to have failed arrives
   * later.
   */
  async #hasArrivedLate({ writing, failures }: PublishingEntry, { file }: PostHome): Promise<boolean> {
    const known = writing[file];
    if (known === undefined || failures === 0) return false;
    const found = (await this.#deps.target().hashes([file])).get(file) ?? '';
    return known.includes(found);
  }

  /** Keeps files from being removed if another post uses them or they belong to the owner. */
  async #sparing(plans: readonly Plan[], found: ReadonlyMap<string, string | null>): Promise<void> {
    const used = new Set(plans.flatMap((plan) => [...plan.files.keys()]));
    const removed = new Set(plans.filter(({ files }) => files.size === 0).map(({ post }) => post.path));
    for (const plan of plans)
      for (const file of touched(plan)) {
        if (plan.files.has(file)) continue;
        const isOwners = !isNeeded(plan, file) && isForeign(plan, file, found.get(file) ?? null);
        const users = (await this.#deps.posts.usersOf(file)).filter((path) => path !== plan.post.path);
        if (isOwners || used.has(file) || users.some((path) => !removed.has(path))) plan.leaves.add(file);
      }
  }

  async #write(
    target: FolderTarget,
    all: readonly Plan[],
    { begin }: PublishingWork,
  ): Promise<Map<string, Outcome>> {
    const outcomes = new Map<string, Outcome>();
    let plans = all;
    let found: ReadonlyMap<string, string | null> = new Map();
    let filtered: ReadonlyMap<string, string> = new Map();
    try {
      found = await target.hashes([...new Set(all.flatMap((plan) => [...touched(plan)]))]);
      await this.#sparing(all, found);
      plans = all.filter((plan) => {
        const foreign = changedBy(plan).filter((file) => isForeign(plan, file, found.get(file) ?? null));
        if (foreign.length > 0) outcomes.set(entryId(plan.entry), conflictWith(foreign));
        return foreign.length === 0;
      });
      for (const { entry, post } of plans.filter(({ entry }) => entry.watched))
        outcomes.set(entryId(entry), restOf(entry, post, this.#deps.now()));
      // If a file of a withdrawn post exists again, a late push has restored it. In that case, the post's plan stays in
      // the list, so that the file is removed.
      plans = plans.filter(
        (plan) => !plan.entry.watched || changedBy(plan).some((file) => (found.get(file) ?? null) !== null),
      );
      if (plans.length === 0) return outcomes;
      await begin(new Map(plans.map(({ entry, hashes }) => [entryId(entry), hashes])));
      filtered = await target.write(changesOf(plans, found));
    } catch (error) {
      const files = error instanceof PublishingTrouble ? new Set(error.files) : new Set<string>();
      const concerned = (plan: Plan) => changedBy(plan).filter((file) => files.has(file));
      if (!plans.some((plan) => concerned(plan).length > 0)) throw error;
      const after = await target.hashes([...files]).catch((cause: unknown) => {
        // The names of these files aren't allowed in the folder, so the files can't exist there.
        if (cause instanceof PublishingTrouble && cause.files.length > 0) return new Map<string, null>();
        throw cause;
      });
      for (const plan of plans) {
        // A push from an earlier attempt may have arrived late and written the file. In that case, the next attempt
        // replaces the file.
        const isForeigns = concerned(plan).some((file) => {
          const hash = after.get(file) ?? null;
          return hash === (found.get(file) ?? null) || isForeign(plan, file, hash);
        });
        outcomes.set(
          entryId(plan.entry),
          isForeigns
            ? { kind: 'conflict', words: failureWords(error) }
            : { kind: 'later', words: '', at: this.#deps.now() },
        );
      }
      return outcomes;
    }
    for (const plan of plans) {
      const { post, hashes } = plan;
      const written = Object.fromEntries(
        Object.entries(hashes).map(([file, hash]) => [file, filtered.get(file) ?? hash]),
      );
      await this.#deps.posts.setHome(post.path, (home) => home && homeAfter(home, post, written));
      outcomes.set(entryId(plan.entry), { kind: 'building' });
    }
    return outcomes;
  }
}

/** Returns whether the owner has asked for this check of a published entry. */
const isRetried = ({ failures, isAsked }: PublishingEntry) => isAsked === true && failures === 0;

const failureWords = (error: unknown) =>
  error instanceof PublishingTrouble
    ? error.words
    : 'The post could not be read. Check the files that it uses.';

/** Returns the outcome for a post whose files have the intended state at `now` (ms). */
function restOf({ writing, since }: PublishingEntry, post: Post, now: number): CheckOutcome {
  const at = publishedAt(post);
  if (isOpen(post) && at > now) return { kind: 'later', at, words: 'Will be published at its date.' };
  const age = now - since;
  const mayArrive = !isOpen(post) && Object.keys(writing).length > 0 && age < longestPushMs;
  return mayArrive ? { kind: 'watched', at: now + Math.max(age, soonestCheckMs) } : { kind: 'done' };
}

const stillThere = 'The page is still on your site.';

function waitingWords(status: number): string {
  return status === 200
    ? 'Your site still shows the page as it was before.'
    : `${buildingWords} Your site answered with ${status}.`;
}
