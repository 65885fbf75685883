import { PorchlightError } from '../../contract/error.ts';
import { inBackground } from '../../platform/log.ts';
import {
  addressOfPage,
  builtInUrl,
  isLiveAtHome,
  type PostFinder,
  postOnPage,
  postUrl,
} from '../../posts/address.ts';
import { isOpen, isReadable, publishedAt } from '../../posts/visibility.ts';
import { titleInWords } from '../../posts/content-text.ts';
import { crossPostTargets, targetAddresses, updatesCopies } from '../../posts/cross-posting.ts';
import type { Delivery, Post } from '../../contract/posts.ts';
import { again, isScheduled, type LinkChange, linksOfPost, mayKnow, planned, respondedTo } from './plan.ts';
import {
  asQuery,
  entriesOf,
  type Entry,
  failedSince,
  formerPathsOf,
  type Planned,
  type Query,
  replaceEntries,
  setFormerPaths,
  updateEntry,
} from './deliveries.ts';
import { createSending, type SendingOptions } from './sending.ts';
import type { PersonFinder } from '../../posts/links.ts';
import type { PostReading } from '../../posts/post-reading.ts';
import type { ChangedPost } from '../../posts/post-store.ts';
import type { Transaction } from '../../storage/records/group-commit.ts';

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
  /** Returns the newest deliveries of the last two weeks that failed. */
  failures(): Promise<Delivery[]>;
  /**
   * Sends a post's webmention to `target` again. Without a `target`, sends it to all pages that have not received it.
   * Deliveries that wait for their post to be published continue to wait. Returns the new deliveries. `source`: any URL
   * of the post.
   * @throws PorchlightError not_found (404)
   */
  retry(source: string, target?: string): Promise<Delivery[]>;
  /**
   * Queues the webmentions of a restored backup that were waiting there. All others are in the queue already.
   * @throws PorchlightError `storage_…`
   */
  start(): Promise<void>;
  /** Sends the webmentions that waited for their post to go live. Call this when a post has. */
  wake(): void;
  /** Call this when the server may have a new address. Webmentions wait for one that others can reach. */
  checkAddress(): void;
  /** Resolves when the windows know of all results. Call it after the queue of work has stopped. */
  stop(): Promise<void>;
}

export interface SenderOptions extends Omit<
  SendingOptions,
  'changed' | 'urlOf' | 'currentPath' | 'mayLeave'
> {
  /** Finds posts by their URLs. */
  readonly posts: PostFinder;
  /**
   * Returns whether the webmentions of the post at a path may be sent now (default: always). If not, they wait. Call
   * `wake` when the result changes.
   */
  readonly mayLeave?: (path: string) => boolean;
  /** Finds the URLs of the people whom posts mention. */
  readonly personUrl?: PersonFinder;
  /** Returns the pages that a post links to (default: linksOfPost, on this thread). */
  readonly readLinks?: PostReading['links'];
  readonly events?: { readonly changed: (delivery: Delivery) => void };
}

const mostFormerPaths = 20;
/** The failures that the owner is told of: how many, and for how long (two weeks, in ms). */
const mostFailures = 20;
const failuresLastMs = 14 * 86_400_000;

/**
 * Creates the sender of webmentions for posts (Webmention 3.1). Each entry and the work that sends it change in one
 * transaction.
 */
export function createSender(options: SenderOptions): Sender {
  const { records, base, now, posts, events, personUrl, crossPosting, mayLeave = () => true } = options;
  const { readLinks = linksOfPost } = options;
  const stored = asQuery(records);
  const inTurn = inBackground(options.log);

  const urlOfPost = (path: string, post: Post | undefined) =>
    post ? postUrl(base(), post) : builtInUrl(base(), path);
  const urlOf = async (path: string) => urlOfPost(path, await posts.get(path));

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
  const linksOf = async (post: Post) => [
    ...new Set([...(await readLinks(post, base(), personUrl)), ...crossPostTargets(post, offered())]),
  ];

  const currentPath = async (path: string) => (await posts.movedTo(path)) ?? path;

  async function deliveriesFrom(path: string, entries: readonly Entry[]): Promise<Delivery[]> {
    const post = await posts.get(path);
    const source = urlOfPost(path, post);
    const title = post ? titleInWords(post.properties) : '';
    const isHeld = !mayLeave(await currentPath(path));
    return entries.map((entry) => {
      const { target, state, at, copy } = entry;
      const words =
        isHeld && state === 'waiting' && !isScheduled(entry, now())
          ? `Waiting until the post is live on ${new URL(source).host}.`
          : entry.words;
      return {
        source,
        ...(title !== '' && { title }),
        target,
        state,
        words,
        at,
        ...(copy !== undefined && { copy }),
      };
    });
  }

  /** Passes changed deliveries to `events.changed`. Never rejects, because the changes are already on disk. */
  async function report(path: string, entries: readonly Entry[]): Promise<void> {
    if (!events || entries.length === 0) return;
    try {
      for (const delivery of await deliveriesFrom(path, entries)) events.changed(delivery);
    } catch (error) {
      options.log.warn({ err: error, path }, 'a window could not be told of webmentions');
    }
  }

  const sending = createSending({
    ...options,
    urlOf,
    currentPath,
    mayLeave,
    changed: (path, entry) => inTurn(report(path, [entry])),
  });

  /**
   * Replaces the entries of a post, and queues those that wait and aren't among those before. Returns those that aren't
   * among those before. `before`: the entries of the post now.
   */
  function replace(
    transaction: Transaction,
    path: string,
    before: readonly Entry[],
    entries: readonly Entry[],
  ): Planned[] {
    const known = new Set(before);
    const targets = new Set(entries.map(({ target }) => target));
    const changed = entries.filter((entry) => !known.has(entry));
    const gone = before.filter(({ target }) => !targets.has(target));
    if (changed.length + gone.length === 0) return [];
    replaceEntries(transaction, path, entries);
    const waits = ({ state }: Entry) => state === 'waiting';
    sending.cancelIn(
      transaction,
      path,
      [...gone, ...changed.filter((entry) => !waits(entry))].map(({ target }) => target),
    );
    sending.addIn(transaction, path, changed.filter(waits));
    return changed.map((entry) => ({ path, entry }));
  }

  /** Makes a change in a transaction that returns the entries that it changed. Tells the windows of these. */
  async function change(edit: (transaction: Transaction) => readonly Planned[]): Promise<readonly Planned[]> {
    const changed = await records.write(edit);
    const paths = new Set(changed.map(({ path }) => path));
    for (const path of paths)
      await report(
        path,
        changed.flatMap((one) => (one.path === path ? [one.entry] : [])),
      );
    return changed;
  }

  /**
   * Returns the cross-posting services that were notified of a post at one of its former paths. They would take a new
   * URL for another post. Those that update their copies are notified of changes with the former URL, which redirects.
   */
  function copiedFrom(query: Query, formerPaths: readonly string[]): ReadonlySet<string> {
    const services = new Set(targetAddresses(offered()));
    const copied = formerPaths.flatMap((path) =>
      entriesOf(query, path).filter(({ notified, target }) => notified && services.has(target)),
    );
    return new Set(copied.map(({ target }) => target));
  }

  return {
    async postChanged({ post, before, change: kind }) {
      const { path } = post;
      const from = before?.path ?? path;
      const links = isOpen(post) ? await linksOf(post) : [];
      const wasKnown = before !== undefined && isReadable(before, now()) && isLiveAtHome(before);
      const linkedBefore = wasKnown ? await linksOf(before) : [];
      if (kind === 'created' && links.length === 0) return;
      const isMoved = from !== path;
      // If a post moves back to a former path, that path no longer counts as a former path.
      const formerPaths = (query: Query) =>
        (isMoved ? [from, ...formerPathsOf(query, from)] : formerPathsOf(query, from))
          .filter((old) => old !== path)
          .slice(0, mostFormerPaths);
      const known = [...entriesOf(stored, from), ...formerPaths(stored)];
      if (links.length + linkedBefore.length + known.length === 0) return;

      const at = { publishedAt: publishedAt(post), now: now(), homeBefore: before?.home?.url };
      await change((transaction) => {
        const old = formerPaths(transaction);
        const plan = (at: string, changeFrom: (known: readonly Entry[]) => LinkChange) => {
          const known = entriesOf(transaction, at);
          return replace(transaction, at, known, planned(known, changeFrom(known)));
        };
        // Nothing is sent from the old path if the post was never live there.
        if (isMoved && !isLiveAtHome(before ?? post)) {
          const sent = entriesOf(transaction, from);
          replace(
            transaction,
            from,
            sent,
            sent.filter(({ notified }) => notified),
          );
        }
        setFormerPaths(transaction, path, old);
        const services = copiedFrom(transaction, old);
        const unchanged = new Set([...services].filter((target) => !updatesCopies(target)));
        const others = (targets: readonly string[]) => targets.filter((one) => !services.has(one));
        const here = { links: others(links), linkedBefore: isMoved ? [] : others(linkedBefore) };
        const changed = plan(path, () => ({ ...here, ...at }));
        for (const one of old) {
          // The old path redirects to the new one. Only pages that were already notified with the URL of the old path
          // are notified with that URL again.
          const heard = new Set(one === from ? linkedBefore : []);
          const there = plan(one, (known) => {
            for (const entry of known) if (mayKnow(entry, at.now)) heard.add(entry.target);
            for (const target of services)
              if (!known.some((entry) => entry.target === target)) heard.delete(target);
            const still = links.filter((link) => heard.has(link));
            return { links: still, linkedBefore: [...heard], unchanged, ...at };
          });
          changed.push(...there);
        }
        return changed;
      });
    },

    async responseShown({ source, target }) {
      const path = await pathAt(target);
      if (path === '') return;
      // A cross-posting service copies the post, and the copy doesn't show the responses.
      const services = new Set(targetAddresses(offered()));
      const renewedIn = (query: Query) =>
        entriesOf(query, path).flatMap((before) => {
          if (services.has(before.target)) return [];
          const isUnderWay = sending.isUnderWay(path, before.target);
          const entry = respondedTo(before, { source, isUnderWay, now: now() });
          return entry === before ? [] : [{ before, entry }];
        });
      if (renewedIn(stored).length === 0) return;
      await change((transaction) =>
        renewedIn(transaction).map(({ before, entry }) => {
          updateEntry(transaction, path, entry);
          // An attempt that is being made goes on. If it succeeds, the page is notified of the responses afterwards.
          if (before.state !== 'waiting') sending.addIn(transaction, path, [entry]);
          return { path, entry };
        }),
      );
    },

    async deliveriesOf(source) {
      const path = await pathAt(source);
      return path === '' ? [] : deliveriesFrom(path, entriesOf(stored, path));
    },

    async failures() {
      const since = new Date(now() - failuresLastMs).toISOString();
      const found: Delivery[] = [];
      for (const { path, entry } of failedSince(stored, since, mostFailures)) {
        // What was sent from a former path of a post can't be sent again from there.
        if (await posts.get(path)) found.push(...(await deliveriesFrom(path, [entry])));
      }
      return found;
    },

    async retry(source, target) {
      const path = await pathAt(source);
      const isMeant = (entry: Entry) =>
        !isScheduled(entry, now()) &&
        (target === undefined ? entry.state !== 'sent' : entry.target === target);
      const entries = path === '' ? [] : entriesOf(stored, path);
      if (!entries.some((entry) => target === undefined || entry.target === target)) throw notFound();
      const renewed = await change((transaction) => {
        const meant = entriesOf(transaction, path).filter(isMeant);
        const changed = meant.map((entry) => again(entry, now()));
        for (const entry of changed) updateEntry(transaction, path, entry);
        sending.addIn(transaction, path, changed);
        return changed.map((entry) => ({ path, entry }));
      });
      return deliveriesFrom(
        path,
        renewed.map(({ entry }) => entry),
      );
    },

    start: () => sending.addMissing(),
    wake: () => sending.wake(),
    checkAddress: () => sending.checkAddress(),
    stop: () => inTurn.finished(),
  };
}

function notFound() {
  return new PorchlightError('not_found', 'Nothing was sent from this page.', 404);
}
