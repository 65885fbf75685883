import { PorchlightError } from '../../contract/error.ts';
import { builtInUrl, isLiveAtHome, postOnPage, postUrl, type PostFinder } from '../../post/address.ts';
import { addressOfPage } from '../../post/page-address.ts';
import { publishedAt } from '../../post/published.ts';
import { crossPostTargets, targetAddresses } from '../../post/cross-posting.ts';
import { isOpen, isReadable } from '../../post/visibility.ts';
import type { Post } from '../../contract/posts.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import { linksOfPost } from './links-of-post.ts';
import { createOutbox, type OutboxOptions } from './outbox.ts';
import type { Entry } from './outbox-document.ts';
import { again, isScheduled, mayKnow, planned, respondedTo, type LinkChange } from './plan.ts';
import { createPostman, type PostmanOptions } from './postman.ts';
import type { PersonFinder } from '../../post/inline-links.ts';
import type { ChangedPost } from '../../post/changed-post.ts';

export interface Sender {
  /**
   * Plans which pages to notify of a change (Webmention 3.1.4, 3.1.5). No new pages are notified of drafts and private
   * posts. Resolves once the plan is on disk; sending happens in the background.
   * @throws PorchlightError `storage_…`. In that case, nothing is sent for this change.
   */
  postChanged(change: ChangedPost): Promise<void>;
  /**
   * Schedules notifications about a response that appeared or changed on a post's page (Salmention). The pages that
   * were notified of the post are also notified of the response, each at most once in ten minutes. `target`: any URL of
   * the post; other URLs are ignored.
   * @throws PorchlightError `storage_…`
   */
  responseShown(response: { readonly source: string; readonly target: string }): Promise<void>;
  /** Returns a post's deliveries, sent or waiting. `source`: any URL of the post; for other URLs, the list is empty. */
  deliveriesOf(source: string): Promise<Delivery[]>;
  /**
   * Sends a post's webmention to `target` again. Without a `target`, sends it to all pages that have not received it.
   * Deliveries that wait for their post to be published continue to wait. Returns the new deliveries. `source`: any URL
   * of the post.
   * @throws PorchlightError not_found (404)
   */
  retry(source: string, target?: string): Promise<Delivery[]>;
  /**
   * Starts to send the waiting webmentions, including those that were left when Porchlight last stopped.
   * @throws PorchlightError as openDocument does
   */
  start(): Promise<void>;
  /**
   * Sends all due webmentions immediately. Call this after the computer wakes up, when the server has a new address,
   * and when a post goes live.
   */
  wake(): void;
  /** Stops deliveries that are in progress. Unsent webmentions wait for the next start. */
  stop(): Promise<void>;
}

export interface SenderOptions
  extends OutboxOptions, Omit<PostmanOptions, 'outbox' | 'changed' | 'urlOf' | 'currentPath' | 'mayLeave'> {
  /** Finds posts by their URLs. */
  readonly posts: PostFinder;
  /**
   * Returns whether the webmentions of the post at a path may be sent now (default: always). If not, they wait in the
   * outbox. Call `wake` when the result changes.
   */
  readonly mayLeave?: (path: string) => boolean;
  /** Finds the URLs of the people whom posts mention. */
  readonly personUrl?: PersonFinder;
  readonly events?: { readonly changed: (delivery: Delivery) => void };
}

const mostFormerPaths = 20;

/** Creates the sender of webmentions for posts (Webmention 3.1). It sends nothing before `start` is called. */
export function createSender(options: SenderOptions): Sender {
  const { base, now, posts, events, personUrl, crossPosting, mayLeave = () => true } = options;
  const outbox = createOutbox(options);

  async function urlOf(path: string): Promise<string> {
    const post = await posts.get(path);
    return post ? postUrl(base(), post) : builtInUrl(base(), path);
  }

  /**
   * Returns the path of the post on the page at a URL. For any other URL on this server, returns the path of its page. Otherwise,
   * returns an empty string.
   */
  async function pathAt(url: string): Promise<string> {
    if (!URL.canParse(url)) return '';
    const address = addressOfPage(base(), url);
    return (await postOnPage(posts, base(), url))?.path ?? (address.startsWith('/') ? address : '');
  }

  const offered = () => crossPosting?.targets() ?? [];
  const linksOf = (post: Post) => [
    ...new Set([...linksOfPost(post, base(), personUrl), ...crossPostTargets(post, offered())]),
  ];

  const currentPath = async (path: string) => (await posts.movedTo(path)) ?? path;

  async function deliveriesFrom(path: string, entries: readonly Entry[]): Promise<Delivery[]> {
    const source = await urlOf(path);
    const isHeld = !mayLeave(await currentPath(path));
    return entries.map((entry) => {
      const { target, state, at, copy } = entry;
      const words =
        isHeld && state === 'waiting' && !isScheduled(entry, now())
          ? `Waiting until the post is live on ${new URL(source).host}.`
          : entry.words;
      return { source, target, state, words, at, ...(copy !== undefined && { copy }) };
    });
  }

  /** Passes changed deliveries to `events.changed`. Never rejects, because the changes are already on disk. */
  async function tell(path: string, entries: readonly Entry[]): Promise<void> {
    if (!events || entries.length === 0) return;
    try {
      for (const delivery of await deliveriesFrom(path, entries)) events.changed(delivery);
    } catch (error) {
      options.log.warn({ err: error, path }, 'a window could not be told of webmentions');
    }
  }

  const postman = createPostman({
    ...options,
    outbox,
    ...{ urlOf, currentPath, mayLeave },
    changed: (path, entry) => tell(path, [entry]),
  });

  let loading: Promise<void> | undefined;
  let stopped = false;

  async function plan(path: string, change: (known: readonly Entry[]) => LinkChange, formerPaths?: string[]) {
    const entries = await outbox.change(path, (sent) => {
      sent.entries = planned(sent.entries, change(sent.entries));
      if (formerPaths) sent.formerPaths = formerPaths;
      return structuredClone(sent.entries);
    });
    await tell(
      path,
      entries.filter(({ state }) => state === 'waiting'),
    );
  }

  /**
   * Returns the cross-posting services that were notified of a post at one of its former paths. They would take a new
   * URL for another post, and so would they take a former URL, which redirects to the new one.
   */
  async function copiedFrom(formerPaths: readonly string[]): Promise<ReadonlySet<string>> {
    const services = new Set(targetAddresses(offered()));
    const sent = await Promise.all(formerPaths.map((path) => outbox.read(path)));
    const copied = sent.flatMap(({ entries }) =>
      entries.filter(({ told, target }) => told && services.has(target)),
    );
    return new Set(copied.map(({ target }) => target));
  }

  /** Cancels the unsent webmentions from a post's old path. Called only if the post was never live there. */
  async function forget(path: string): Promise<void> {
    const { entries } = await outbox.read(path);
    if (entries.every(({ told }) => told)) return;
    await outbox.change(path, (sent) => {
      sent.entries = sent.entries.filter(({ told }) => told);
    });
  }

  /**
   * Loads the waiting webmentions in the background, because there can be many of them if this computer was offline for
   * a long time.
   */
  async function load(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      if (stopped) return;
      await outbox.load(path);
      postman.look();
    }
  }

  return {
    async postChanged({ post, before, change }) {
      const { path } = post;
      const from = before?.path ?? path;
      const links = isOpen(post) ? linksOf(post) : [];
      const wasKnown = before !== undefined && isReadable(before, now()) && isLiveAtHome(before);
      const linkedBefore = wasKnown ? linksOf(before) : [];
      if (change === 'created' && links.length === 0) return;
      const isMoved = from !== path;
      if (isMoved && !isLiveAtHome(before ?? post)) await forget(from);
      const { formerPaths: former, entries } = await outbox.read(from);
      // If a post moves back to a former path, that path no longer counts as a former path.
      const formerPaths = (isMoved ? [from, ...former] : former)
        .filter((old) => old !== path)
        .slice(0, mostFormerPaths);
      if (links.length + linkedBefore.length + entries.length + formerPaths.length === 0) return;

      const at = { publishedAt: publishedAt(post), now: now(), homeBefore: before?.home?.url };
      const unchanged = await copiedFrom(formerPaths);
      const others = (targets: readonly string[]) => targets.filter((one) => !unchanged.has(one));
      const here = { links: others(links), linkedBefore: isMoved ? [] : others(linkedBefore) };
      await plan(path, () => ({ ...here, ...at }), formerPaths);
      for (const old of formerPaths) {
        // The old path redirects to the new one. Only pages that were already notified with the URL of the old path are
        // notified with that URL again.
        const heard = new Set(old === from ? linkedBefore : []);
        await plan(old, (known) => {
          for (const entry of known) if (mayKnow(entry, at.now)) heard.add(entry.target);
          const still = links.filter((link) => heard.has(link));
          return { links: still, linkedBefore: [...heard], unchanged, ...at };
        });
      }
      postman.look();
    },

    async responseShown({ source, target }) {
      const path = await pathAt(target);
      if (path === '') return;
      // A cross-posting service copies the post, and the copy doesn't show the responses.
      const services = new Set(targetAddresses(offered()));
      const renewed = (entry: Entry) =>
        services.has(entry.target)
          ? entry
          : respondedTo(entry, { source, isUnderWay: postman.isUnderWay(path, entry), now: now() });
      const { entries } = await outbox.read(path);
      if (entries.every((entry) => renewed(entry) === entry)) return;
      const changed = await outbox.change(path, (sent) => {
        const before = new Set(sent.entries);
        sent.entries = sent.entries.map(renewed);
        return structuredClone(sent.entries.filter((entry) => !before.has(entry)));
      });
      await tell(path, changed);
      postman.look();
    },

    async deliveriesOf(source) {
      const path = await pathAt(source);
      return path === '' ? [] : deliveriesFrom(path, (await outbox.read(path)).entries);
    },

    async retry(source, target) {
      const path = await pathAt(source);
      const isMeant = (entry: Entry) =>
        !isScheduled(entry, now()) &&
        (target === undefined ? entry.state !== 'sent' : entry.target === target);
      const { entries } = path === '' ? { entries: [] } : await outbox.read(path);
      if (!entries.some((entry) => target === undefined || entry.target === target)) throw notFound();
      const renewed = await outbox.change(path, (sent) => {
        const meant = sent.entries.filter(isMeant).map((entry) => again(entry, now()));
        const byTarget = new Map(meant.map((entry) => [entry.target, entry]));
        sent.entries = sent.entries.map((entry) => byTarget.get(entry.target) ?? entry);
        return meant;
      });
      await tell(path, renewed);
      postman.look();
      return deliveriesFrom(path, renewed);
    },

    async start() {
      const paths = await outbox.open();
      postman.start();
      loading = load(paths);
    },

    wake: () => postman.wake(),

    async stop() {
      stopped = true;
      await Promise.all([loading, postman.stop()]);
    },
  };
}

function notFound() {
  return new PorchlightError('not_found', 'Nothing was sent from this page.', 404);
}
