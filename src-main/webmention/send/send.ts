import { PorchlightError } from '../../contract/error.ts';
import { publishedAt } from '../../post/published.ts';
import { isOpen, isReadable } from '../../post/visibility.ts';
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
   * Plans which pages to notify of a change (Webmention 3.1.4, 3.1.5). For drafts and private posts, no new page is
   * notified. Resolves once the plan is on disk; sending happens in the background.
   * @throws PorchlightError `storage_…`: nothing will be sent for this change.
   */
  postChanged(change: ChangedPost): Promise<void>;
  /**
   * Plans which pages to notify of a response that appeared or changed on a post's page: those that know of the post
   * (Salmention; each at most every ten minutes). Ignores an address that doesn't belong to a post.
   * @throws PorchlightError `storage_…`
   */
  responseShown(response: { readonly source: string; readonly target: string }): Promise<void>;
  /** Returns the deliveries for the page at `source`, sent or waiting; empty if `source` isn't on this server. */
  deliveriesOf(source: string): Promise<Delivery[]>;
  /**
   * Sends again to `target`, or to all pages that were not reached; returns the new deliveries. Deliveries that are
   * waiting for their post to be published continue to wait.
   * @throws PorchlightError not_found (404)
   */
  retry(source: string, target?: string): Promise<Delivery[]>;
  /**
   * Starts to send what is waiting, including what was left when Porchlight last stopped.
   * @throws PorchlightError as openDocument does
   */
  start(): Promise<void>;
  /** Sends at once what is due, for example after the computer slept or when the server has a new address. */
  wake(): void;
  /** Stops deliveries that are under way; unsent webmentions wait for the next start. */
  stop(): Promise<void>;
}

export interface SenderOptions
  extends OutboxOptions, Omit<PostmanOptions, 'outbox' | 'changed' | 'sourceAt'> {
  /** Returns the public origin; called each time, because it can change. */
  readonly base: () => string;
  /** Finds the people whom posts mention. */
  readonly personUrl?: PersonFinder;
  readonly events?: { readonly changed: (delivery: Delivery) => void };
}

const mostFormerPaths = 20;

/** Creates the sender of webmentions for posts (Webmention 3.1). It sends nothing before `start`. */
export function createSender(options: SenderOptions): Sender {
  const { base, now, events, personUrl } = options;
  const outbox = createOutbox(options);
  const sourceAt = (path: string) => new URL(path, base()).href;
  const deliveryOf = (path: string, { target, state, words, at }: Entry): Delivery => ({
    source: sourceAt(path),
    target,
    state,
    words,
    at,
  });
  const tell = (path: string, entries: readonly Entry[]) => {
    for (const entry of entries) events?.changed(deliveryOf(path, entry));
  };
  const postman = createPostman({
    ...options,
    outbox,
    sourceAt,
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
    tell(
      path,
      entries.filter(({ state }) => state === 'waiting'),
    );
  }

  /**
   * Loads what is waiting to be sent. After a long time offline, that can be a lot, so loading must not delay the
   * start.
   */
  async function load(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      if (stopped) return;
      await outbox.load(path);
      postman.wake();
    }
  }

  function pathOf(source: string): string {
    if (!URL.canParse(source)) return '';
    const { origin, pathname } = new URL(source);
    return origin === new URL(base()).origin ? pathname : '';
  }

  return {
    async postChanged({ post, before, change, url }) {
      const { path } = post;
      const from = before?.path ?? path;
      const links = isOpen(post) ? linksOfPost(post, url, personUrl) : [];
      const linkedBefore =
        before && isReadable(before, now()) ? linksOfPost(before, sourceAt(from), personUrl) : [];
      if (change === 'created' && links.length === 0) return;
      const { formerPaths: former, entries } = await outbox.read(from);
      const isMoved = from !== path;
      // A post can move back to a former path, which is then no longer a former one.
      const formerPaths = (isMoved ? [from, ...former] : former)
        .filter((old) => old !== path)
        .slice(0, mostFormerPaths);
      if (links.length + linkedBefore.length + entries.length + formerPaths.length === 0) return;

      const at = { publishedAt: publishedAt(post), now: now() };
      await plan(path, () => ({ links, linkedBefore: isMoved ? [] : linkedBefore, ...at }), formerPaths);
      for (const old of formerPaths) {
        // The old path redirects to the new one. Only pages that were notified from the old path are notified of the
        // change from it.
        const heard = new Set(old === from ? linkedBefore : []);
        await plan(old, (known) => {
          for (const entry of known) if (mayKnow(entry, at.now)) heard.add(entry.target);
          return { links: links.filter((link) => heard.has(link)), linkedBefore: [...heard], ...at };
        });
      }
      postman.wake();
    },

    async responseShown({ source, target }) {
      const path = pathOf(target);
      if (path === '' || target.replace(/#.*/s, '') !== sourceAt(path)) return;
      const renewed = (entry: Entry) =>
        respondedTo(entry, { source, isUnderWay: postman.isUnderWay(path, entry), now: now() });
      const { entries } = await outbox.read(path);
      if (entries.every((entry) => renewed(entry) === entry)) return;
      const changed = await outbox.change(path, (sent) => {
        const before = new Set(sent.entries);
        sent.entries = sent.entries.map(renewed);
        return structuredClone(sent.entries.filter((entry) => !before.has(entry)));
      });
      tell(path, changed);
      postman.wake();
    },

    async deliveriesOf(source) {
      const path = pathOf(source);
      if (path === '') return [];
      const { entries } = await outbox.read(path);
      return entries.map((entry) => deliveryOf(path, entry));
    },

    async retry(source, target) {
      const path = pathOf(source);
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
      tell(path, renewed);
      postman.wake();
      return renewed.map((entry) => deliveryOf(path, entry));
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
