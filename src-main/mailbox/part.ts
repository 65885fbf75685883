import { PorchlightError } from '../contract/error.ts';
import type { Settings } from '../contract/settings.ts';
import { mostCopyBytes } from '../platform/mailbox-protocol.ts';
import { createAskSelf } from '../http/ask-self.ts';
import type { Listener } from '../http/listener.ts';
import { type Drained, drainMailbox, emptyMailbox } from './drain.ts';
import { openMailboxKeys } from './keys.ts';
import { Mailbox } from './mailbox.ts';
import { mailboxServer } from './mailbox-server.ts';
import { createMailboxClient, type MailboxClient } from './mailbox-client.ts';
import { type CloudflareMailbox, mailboxHandlers } from './owner.ts';
import { hostOf } from '../platform/site-name.ts';
import { watchWaking } from '../platform/clock.ts';
import { oneSpelling } from '../posts/address.ts';
import { Copies } from './copies/copies.ts';
import type { Common } from '../http/common.ts';
import type { Mentioning } from '../mentions/part.ts';
import type { OwnerPostStore } from '../posts/micropub/owner-post-store.ts';

interface MailboxDeps extends Pick<
  Common,
  | 'versions'
  | 'records'
  | 'work'
  | 'secrets'
  | 'fetch'
  | 'base'
  | 'clock'
  | 'log'
  | 'hub'
  | 'activity'
  | 'background'
  | 'changed'
> {
  readonly settings: () => Pick<Settings, 'site'>;
  readonly listener: Pick<Listener, 'state' | 'app'>;
  /** Returns whether Porchlight's tunnel is connected; also true if Porchlight runs no tunnel. */
  readonly isReachable: () => boolean;
  readonly mentioning: Pick<Mentioning, 'mentions' | 'receiveKept' | 'targetHosts'>;
  readonly posts: OwnerPostStore;
  /** Accepts a request to the WebSub hub that the mailbox has stored since `arrived`, in ms since the epoch. */
  readonly requestKept: (
    fields: Readonly<Record<string, string>>,
    arrived: number,
    visitor?: string,
  ) => Promise<'new' | 'known'>;
}

/** The part of the service that communicates with the mailbox at Cloudflare. */
export class MailboxPart {
  readonly #options: MailboxDeps;
  readonly handlers: ReturnType<typeof mailboxHandlers>;
  /**
   * Returns the keys that prove to the mailbox that a response comes from this server. Returns no keys while there is
   * no mailbox. While the mailbox is being removed, responses carry a proof until the keys are deleted, because the
   * Worker at Cloudflare may forward requests even after its route was deleted. Without a proof in the response, the
   * Worker would store these requests, and they would be lost when the Worker is deleted.
   */
  readonly proofKeys: ReturnType<typeof openMailboxKeys>['proofKeys'];
  readonly #server: ReturnType<typeof mailboxServer>;
  readonly #keys: ReturnType<typeof openMailboxKeys>;
  #cloudflare: CloudflareMailbox | undefined;
  #unwatch: (() => void) | undefined;
  #isStopped = false;
  readonly #client: MailboxClient;
  /**
   * The hosts of all current and earlier URLs of posts. Mentions at these hosts are accepted even after the site moves.
   */
  #formerHosts: readonly string[] = [];
  readonly #mailbox: Mailbox;
  #pages: readonly string[];
  readonly #copies: Copies;
  #lastBase: string;

  constructor(options: MailboxDeps) {
    this.#options = options;
    const { fetch, base, clock, log, hub, activity, work, listener } = options;
    this.#server = mailboxServer(options.records);
    this.#keys = openMailboxKeys(options.secrets);
    this.#client = createMailboxClient({
      fetch,
      now: clock,
      // Send calls only to the mailbox's own address. This server's public address may have changed since the mailbox was
      // created.
      base: () => this.#cloudflare?.address() ?? base(),
      server: () => this.#server.id(),
      callKey: async () => (await this.#existingKeys()).callKey,
      answeredAt: () => this.#server.answeredAt(),
      answered: (at) =>
        this.#server
          .answered(at)
          .catch((error: unknown) => log.warn({ err: error }, 'the mailbox’s answer could not be noted')),
    });
    this.#mailbox = new Mailbox({
      client: this.#client,
      isOn: () => this.#isOn(),
      hub,
      activity,
      clock,
      log,
      changed: options.changed,
      server: () => (listener.state.kind === 'on' && !this.#isReached() ? 'trouble' : listener.state.kind),
      hosts: () => [...new Set([...options.mentioning.targetHosts(), ...this.#formerHosts])],
      drain: (signal) => this.#drain(signal),
    });
    this.#pages = this.#pageAddresses();
    this.#copies = new Copies({
      log,
      base,
      isOn: () => this.#isOn(),
      work,
      now: clock,
      store: this.#client,
      posts: options.posts,
      versions: options.versions,
      ask: createAskSelf({ app: () => this.#copiedApp(), base, mostBytes: mostCopyBytes }),
      pages: () => options.settings().site.pages,
      isServing: () => this.#copiedApp() !== undefined,
      changed: () => this.#mailbox.copiesChanged(),
    });
    this.#lastBase = base();
    this.#mailbox.connect(this.#copies);
    this.proofKeys = this.#keys.proofKeys;
    this.handlers = mailboxHandlers({
      client: this.#client,
      keys: this.#keys,
      mailbox: this.#mailbox,
      activity,
      cloudflare: () => this.#opened(),
      fetchKept: () => this.fetchKept(),
      empty: (apiToken) => this.empty(apiToken),
      changed: () => this.changedAtCloudflare(),
    });
  }

  /** Connects the setup at Cloudflare, which is opened later. Call it once, before `start`. */
  connect(found: CloudflareMailbox): void {
    this.#cloudflare = found;
  }

  /** Returns the keys that the mailbox needs. If there are none, creates them. */
  async edgeKeys() {
    const { proofKey, callKey, sealing } = await this.#keys.readOrCreate();
    return { proofKey, callKey, sealingKey: sealing[0]?.publicKey ?? '' };
  }

  /** Deletes the keys. Call it after removing the mailbox. */
  forgetKeys() {
    return this.#keys.forget();
  }

  /** Called after a change to the mailbox at Cloudflare. Updates the keys, the status and the copies. */
  async changedAtCloudflare(): Promise<void> {
    if (this.#isOn()) await this.#loadKeys();
    await this.#mailbox.synchronize();
    this.#copies.everythingChanged({ isNew: true });
    this.#copies.wake();
  }

  /** See Copies. */
  postChanged(...change: Parameters<Copies['postChanged']>) {
    return this.#copies.postChanged(...change);
  }

  mediaDeleted(...file: Parameters<Copies['mediaDeleted']>) {
    return this.#copies.mediaDeleted(...file);
  }

  /**
   * Updates the copies of a page after one of its mentions has changed. `isHidden`: the mention is not public now, but
   * may have been public before.
   */
  async mentionChanged(target: string, isHidden: boolean): Promise<void> {
    if (!this.#isOn() || this.#isStopped) return;
    const { pageOf, urlOf } = this.#options.mentioning.mentions.pageRules;
    const page = pageOf(target);
    const urls = new Set([
      urlOf(page),
      ...(page.startsWith('/') ? [this.#options.base() + oneSpelling(page)] : []),
    ]);
    await Promise.all([...urls].map((url) => this.#copies.pageChanged(url, isHidden)));
  }

  /**
   * Fetches all requests before the mailbox is removed.
   * @throws the same errors as `emptyMailbox`
   */
  empty(apiToken: string | undefined) {
    return emptyMailbox(this.#mailbox, () => this.#opened().isRouted(apiToken));
  }

  /** Fetches the requests in the mailbox. If that fails, only logs the error. */
  async fetchKept(): Promise<void> {
    await this.#mailbox
      .fetchNow()
      .catch((error: unknown) => this.#options.log.warn({ err: error }, 'the mailbox could not be emptied'));
  }

  problem() {
    return this.#mailbox.problem();
  }

  /** Called when the server may have been turned on or off, or its address or its hosts may have changed. */
  follow(): void {
    if (this.#options.base() !== this.#lastBase) this.#copies.everythingChanged();
    this.#lastBase = this.#options.base();
    this.#mailbox.follow();
  }

  /** Called when the address of the owner's site may have changed. Mentions at the old address are still accepted. */
  siteMoved(): void {
    this.#options.background(this.#readFormerHosts().then(() => this.#mailbox.follow()));
  }

  /** Called when content that appears on all pages may have changed. */
  siteChanged(): void {
    const before = this.#pages;
    this.#pages = this.#pageAddresses();
    this.#copies.everythingChanged({ removed: before.filter((address) => !this.#pages.includes(address)) });
  }

  async start(): Promise<void> {
    this.#unwatch = watchWaking(this.#options.clock, () => this.#mailbox.wake());
    await Promise.all([this.#loadKeys(), this.#readFormerHosts()]);
    await this.#mailbox.synchronize();
    this.#copies.start();
    this.#copies.wake();
  }

  /**
   * Tells the mailbox that this computer is going to sleep. Resolves after at most 2 s, or earlier if the mailbox
   * confirms the message. If the computer is still awake after that, the latest changes are copied to the mailbox.
   */
  async sleep(): Promise<void> {
    await this.#mailbox.sleep();
    this.#copies.wake();
  }

  wake(): void {
    this.#mailbox.wake();
    this.#copies.wake();
  }

  /** Copies the latest changes to the mailbox before this server stops. Takes at most 2 s. */
  flush() {
    return this.#copies.flush();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unwatch?.();
    await Promise.all([this.#mailbox.stop(), this.#copies.stop()]);
  }

  #isOn() {
    return this.#cloudflare?.isOn() ?? false;
  }

  #opened(): CloudflareMailbox {
    if (this.#cloudflare === undefined) throw new Error('The mailbox is used before it is connected.');
    return this.#cloudflare;
  }

  async #existingKeys() {
    const found = await this.#keys.read();
    if (found) return found;
    throw new PorchlightError(
      'mailbox_outdated',
      'This computer has no keys for the mailbox. Update the mailbox to create new ones.',
    );
  }

  /**
   * Returns the mailbox's host if it differs from this server's current public address; undefined otherwise. Pages and
   * mentions at a different host don't belong to this server.
   */
  #elsewhere(): string | undefined {
    const address = new URL(this.#cloudflare?.address() ?? this.#options.base());
    return address.origin === new URL(this.#options.base()).origin ? undefined : address.host;
  }

  async #readFormerHosts(): Promise<void> {
    try {
      this.#formerHosts = (await this.#options.posts.homeOrigins()).map((origin) => hostOf(new URL(origin)));
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the former hosts of posts can’t be read');
    }
  }

  #isReached() {
    return this.#options.isReachable() && this.#elsewhere() === undefined;
  }

  #pageAddresses() {
    return this.#options
      .settings()
      .site.pages.map(({ slug }) => new URL(slug, `${this.#options.base()}/`).pathname);
  }

  /**
   * If the mailbox's address differs from this server's, no pages are copied to it, because pages contain this server's
   * address.
   */
  #copiedApp() {
    return this.#elsewhere() === undefined ? this.#options.listener.app : undefined;
  }

  /**
   * Loads the keys. If that fails, only logs the error, because a locked keychain or damaged keys must not stop
   * anything else. The mailbox's status reports the problem.
   */
  async #loadKeys(): Promise<void> {
    await this.#keys
      .read()
      .catch((error: unknown) => this.#options.log.warn({ err: error }, 'the mailbox’s keys can’t be read'));
  }

  /** Fetches the stored requests while the mailbox's address is that of this server. */
  #drain(signal: AbortSignal): Promise<Drained> {
    const { log, mentioning, requestKept } = this.#options;
    const host = this.#elsewhere();
    if (host !== undefined)
      throw new PorchlightError(
        'mailbox_failed',
        `The mailbox is at ${host}, but this server has another address now. The mailbox keeps what it has until this server is at ${host} again.`,
      );
    return drainMailbox(
      {
        client: this.#client,
        log,
        keys: async () => (await this.#existingKeys()).sealing,
        async receive(request, arrived) {
          if (request.kind === 'webmention') return mentioning.receiveKept({ ...request, arrived });
          return requestKept(request.fields, arrived, request.visitor);
        },
      },
      signal,
    );
  }
}
