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
import { again, isScheduled, type LinkChange, mayKnow, planned, respondedTo } from './plan.ts';
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

export interface SenderOptions extends Omit<SendingOptions, 'changed' | 'urlOf' | 'currentPath'> {
  /** Finds posts by their URLs. */
  readonly posts: PostFinder;
  /** Finds the URLs of the people whom posts mention. */
  readonly personUrl: PersonFinder;
  /** Returns the pages that a post links to. */
  readonly readLinks: PostReading['links'];
  /** Called once a delivery has changed. */
  readonly changed: (delivery: Delivery) => void;
}

const mostFormerPaths = 20;
/** The failures that the owner is told of: how many, and for how long (two weeks, in ms). */
const mostFailures = 20;
const failuresLastMs = 14 * 86_400_000;

/**
 * The sender of webmentions for posts (Webmention 3.1). Each entry and the work that sends it change in one
 * transaction.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #stored: Query;
  readonly #inTurn: ReturnType<typeof inBackground>;
  readonly #sending: ReturnType<typeof createSending>;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#stored = asQuery(this.#options.records);
    this.#inTurn = inBackground(this.#options.log);
    this.#sending = createSending({
      ...this.#options,
      urlOf: (path) => this.#urlOf(path),
      currentPath: (path) => this.#currentPath(path),
      changed: (path, entry) => this.#inTurn(this.#report(path, [entry])),
    });
  }

  /**
   * Plans which pages to notify of a change (Webmention 3.1.4, 3.1.5). No new pages are notified of drafts and private
   * posts. Resolves once the plan is on disk; sending happens in the background.
   * @throws PorchlightError `storage_…`. In that case, nothing is sent for this change.
   */
  async postChanged({ post, before, change: kind }: ChangedPost): Promise<void> {
    const { path } = post;
    const from = before?.path ?? path;
    const links = isOpen(post) ? await this.#linksOf(post) : [];
    const wasKnown = before !== undefined && isReadable(before, this.#options.now()) && isLiveAtHome(before);
    const linkedBefore = wasKnown ? await this.#linksOf(before) : [];
    if (kind === 'created' && links.length === 0) return;
    const isMoved = from !== path;
    // If a post moves back to a former path, that path no longer counts as a former path.
    const formerPaths = (query: Query) =>
      (isMoved ? [from, ...formerPathsOf(query, from)] : formerPathsOf(query, from))
        .filter((old) => old !== path)
        .slice(0, mostFormerPaths);
    const known = [...entriesOf(this.#stored, from), ...formerPaths(this.#stored)];
    if (links.length + linkedBefore.length + known.length === 0) return;

    const at = { publishedAt: publishedAt(post), now: this.#options.now(), homeBefore: before?.home?.url };
    await this.#change((transaction) => {
      const old = formerPaths(transaction);
      const plan = (at: string, changeFrom: (known: readonly Entry[]) => LinkChange) => {
        const known = entriesOf(transaction, at);
        return this.#replace(transaction, at, known, planned(known, changeFrom(known)));
      };
      // Nothing is sent from the old path if the post was never live there.
      if (isMoved && !isLiveAtHome(before ?? post)) {
        const sent = entriesOf(transaction, from);
        this.#replace(
          transaction,
          from,
          sent,
          sent.filter(({ notified }) => notified),
        );
      }
      setFormerPaths(transaction, path, old);
      const services = this.#copiedFrom(transaction, old);
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
  }

  /**
   * Schedules notifications about a response that appeared or changed on a post's page (Salmention). The pages that
   * were notified of the post are also notified of the response, each at most once in ten minutes. `target`: any URL of
   * the post; other URLs are ignored.
   * @throws PorchlightError `storage_…`
   */
  async responseShown({
    source,
    target,
  }: {
    readonly source: string;
    readonly target: string;
  }): Promise<void> {
    const path = await this.#pathAt(target);
    if (path === '') return;
    // A cross-posting service copies the post, and the copy doesn't show the responses.
    const services = new Set(targetAddresses(this.#options.crossPosting.targets()));
    const renewedIn = (query: Query) =>
      entriesOf(query, path).flatMap((before) => {
        if (services.has(before.target)) return [];
        const isUnderWay = this.#sending.isUnderWay(path, before.target);
        const entry = respondedTo(before, { source, isUnderWay, now: this.#options.now() });
        return entry === before ? [] : [{ before, entry }];
      });
    if (renewedIn(this.#stored).length === 0) return;
    await this.#change((transaction) =>
      renewedIn(transaction).map(({ before, entry }) => {
        updateEntry(transaction, path, entry);
        // An attempt that is being made goes on. If it succeeds, the page is notified of the responses afterwards.
        if (before.state !== 'waiting') this.#sending.addIn(transaction, path, [entry]);
        return { path, entry };
      }),
    );
  }

  /** Returns a post's deliveries, sent or waiting. `source`: any URL of the post; for other URLs, the list is empty. */
  async deliveriesOf(source: string): Promise<Delivery[]> {
    const path = await this.#pathAt(source);
    return path === '' ? [] : this.#deliveriesFrom(path, entriesOf(this.#stored, path));
  }

  /** Returns the newest deliveries of the last two weeks that failed. */
  async failures(): Promise<Delivery[]> {
    const since = new Date(this.#options.now() - failuresLastMs).toISOString();
    const found: Delivery[] = [];
    for (const { path, entry } of failedSince(this.#stored, since, mostFailures)) {
      // What was sent from a former path of a post can't be sent again from there.
      if (await this.#options.posts.get(path)) found.push(...(await this.#deliveriesFrom(path, [entry])));
    }
    return found;
  }

  /**
   * Sends a post's webmention to `target` again. Without a `target`, sends it to all pages that have not received it.
   * Deliveries that wait for their post to be published continue to wait. Returns the new deliveries. `source`: any URL
   * of the post.
   * @throws PorchlightError not_found (404)
   */
  async retry(source: string, target?: string): Promise<Delivery[]> {
    const path = await this.#pathAt(source);
    const isMeant = (entry: Entry) =>
      !isScheduled(entry, this.#options.now()) &&
      (target === undefined ? entry.state !== 'sent' : entry.target === target);
    const entries = path === '' ? [] : entriesOf(this.#stored, path);
    if (!entries.some((entry) => target === undefined || entry.target === target)) throw notFound();
    const renewed = await this.#change((transaction) => {
      const meant = entriesOf(transaction, path).filter(isMeant);
      const changed = meant.map((entry) => again(entry, this.#options.now()));
      for (const entry of changed) updateEntry(transaction, path, entry);
      this.#sending.addIn(transaction, path, changed);
      return changed.map((entry) => ({ path, entry }));
    });
    const entriesNow = renewed.map(({ entry }) => entry);
    return this.#deliveriesFrom(path, entriesNow);
  }

  /**
   * Queues the webmentions of a restored backup that were waiting there. All others are in the queue already.
   * @throws PorchlightError `storage_…`
   */
  start(): Promise<void> {
    return this.#sending.addMissing();
  }

  /** Sends the webmentions that waited for their post to go live. Call this when a post has. */
  wake(): void {
    this.#sending.wake();
  }

  /** Call this when the server may have a new address. Webmentions wait for one that others can reach. */
  checkAddress(): void {
    this.#sending.checkAddress();
  }

  /** Resolves when the windows know of all results. Call it after the queue of work has stopped. */
  stop(): Promise<void> {
    return this.#inTurn.finished();
  }

  #urlOfPost(path: string, post: Post | undefined) {
    return post ? postUrl(this.#options.base(), post) : builtInUrl(this.#options.base(), path);
  }

  async #urlOf(path: string) {
    return this.#urlOfPost(path, await this.#options.posts.get(path));
  }

  /**
   * Returns the path of the post on the page at a URL. For any other URL on this server, returns the path of its page. Otherwise,
   * returns an empty string.
   */
  async #pathAt(url: string): Promise<string> {
    if (!URL.canParse(url)) return '';
    const address = addressOfPage(this.#options.base(), url);
    return (
      (await postOnPage(this.#options.posts, this.#options.base(), url))?.path ??
      (address.startsWith('/') ? address : '')
    );
  }

  async #linksOf(post: Post) {
    const { readLinks, base, personUrl, crossPosting } = this.#options;
    const links = await readLinks(post, base(), personUrl);
    return [...new Set([...links, ...crossPostTargets(post, crossPosting.targets())])];
  }

  async #currentPath(path: string) {
    return (await this.#options.posts.movedTo(path)) ?? path;
  }

  async #deliveriesFrom(path: string, entries: readonly Entry[]): Promise<Delivery[]> {
    const post = await this.#options.posts.get(path);
    const source = this.#urlOfPost(path, post);
    const title = post ? titleInWords(post.properties) : '';
    const isHeld = !this.#options.mayLeave(await this.#currentPath(path));
    return entries.map((entry) => {
      const { target, state, at, copy } = entry;
      const words =
        isHeld && state === 'waiting' && !isScheduled(entry, this.#options.now())
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

  /** Passes changed deliveries to `changed`. Never rejects, because the changes are already on disk. */
  async #report(path: string, entries: readonly Entry[]): Promise<void> {
    try {
      for (const delivery of await this.#deliveriesFrom(path, entries)) this.#options.changed(delivery);
    } catch (error) {
      this.#options.log.warn({ err: error, path }, 'a window could not be told of webmentions');
    }
  }

  /**
   * Replaces the entries of a post, and queues those that wait and aren't among those before. Returns those that aren't
   * among those before. `before`: the entries of the post now.
   */
  #replace(
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
    this.#sending.cancelIn(
      transaction,
      path,
      [...gone, ...changed.filter((entry) => !waits(entry))].map(({ target }) => target),
    );
    this.#sending.addIn(transaction, path, changed.filter(waits));
    return changed.map((entry) => ({ path, entry }));
  }

  /** Makes a change in a transaction that returns the entries that it changed. Tells the windows of these. */
  async #change(edit: (transaction: Transaction) => readonly Planned[]): Promise<readonly Planned[]> {
    const changed = await this.#options.records.write(edit);
    const paths = new Set(changed.map(({ path }) => path));
    for (const path of paths)
      await this.#report(
        path,
        changed.flatMap((one) => (one.path === path ? [one.entry] : [])),
      );
    return changed;
  }

  /**
   * Returns the cross-posting services that were notified of a post at one of its former paths. They would take a new
   * URL for another post. Those that update their copies are notified of changes with the former URL, which redirects.
   */
  #copiedFrom(query: Query, formerPaths: readonly string[]): ReadonlySet<string> {
    const services = new Set(targetAddresses(this.#options.crossPosting.targets()));
    const copied = formerPaths.flatMap((path) =>
      entriesOf(query, path).filter(({ notified, target }) => notified && services.has(target)),
    );
    return new Set(copied.map(({ target }) => target));
  }
}

function notFound() {
  return new PorchlightError('not_found', 'Nothing was sent from this page.', 404);
}
