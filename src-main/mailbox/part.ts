import type { Handlers } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { Settings } from '../contract/settings.ts';
import { mostCopyBytes } from '../platform/mailbox-protocol.ts';
import { createAskSelf } from '../http/ask-self.ts';
import type { Listener } from '../http/listener.ts';
import { drainMailbox, emptyMailbox } from './drain.ts';
import { openMailboxKeys, type MailboxKeys } from './keys.ts';
import { createMailbox } from './mailbox.ts';
import { mailboxServer } from './mailbox-server.ts';
import { createMailboxClient } from '../platform/mailbox-client.ts';
import { hostOf } from '../platform/site-name.ts';
import { watchWaking } from '../platform/clock.ts';
import { oneSpelling } from '../posts/address.ts';
import { type Copies, openCopies } from './copies/copies.ts';
import type { Common } from '../http/common.ts';
import type { Mentioning } from '../mentions/part.ts';
import type { OwnerPostStore } from '../posts/micropub/owner-post-store.ts';

/** The mailbox that was set up at Cloudflare. */
export interface CloudflareMailbox {
  /** Returns whether the mailbox was created. */
  readonly isOn: () => boolean;
  /**
   * Uploads the mailbox with its current keys; creates the mailbox if there is none. Calls `prepare` once the API token
   * is verified, before changing anything.
   * @throws PorchlightError `cloudflare_…`
   */
  readonly upload: (apiToken: string | undefined, prepare?: () => Promise<void>) => Promise<void>;
  /** Returns the mailbox's origin; undefined if no address was set up. */
  readonly address: () => string | undefined;
  /** Returns whether Cloudflare still routes requests to the mailbox. @throws PorchlightError `cloudflare_…` */
  readonly isRouted: (apiToken: string | undefined) => Promise<boolean>;
  /** Removes the mailbox, and deletes its keys from this computer. @throws PorchlightError `cloudflare_…` */
  readonly remove: (apiToken: string | undefined) => Promise<void>;
}

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

/** Opens the part of the service that communicates with the mailbox at Cloudflare. */
export function openMailbox(deps: MailboxDeps) {
  const { records, secrets, fetch, base, clock, log, hub, activity, background, changed, listener } = deps;
  const server = mailboxServer(records);
  const keys = openMailboxKeys(secrets);
  let cloudflare: CloudflareMailbox | undefined;
  let unwatch: () => void = () => undefined;
  let isStopped = false;
  const isOn = () => cloudflare?.isOn() ?? false;

  function opened(): CloudflareMailbox {
    if (cloudflare === undefined) throw new Error('The mailbox is used before it is connected.');
    return cloudflare;
  }

  async function existingKeys() {
    const found = await keys.read();
    if (found) return found;
    throw new PorchlightError(
      'mailbox_outdated',
      'This computer has no keys for the mailbox. Update the mailbox to create new ones.',
    );
  }

  const client = createMailboxClient({
    fetch,
    now: clock,
    // Send calls only to the mailbox's own address. This server's public address may have changed since the mailbox was
    // created.
    base: () => cloudflare?.address() ?? base(),
    server: () => server.id(),
    callKey: async () => (await existingKeys()).callKey,
    answeredAt: () => server.answeredAt(),
    answered: (at) =>
      server
        .answered(at)
        .catch((error: unknown) => log.warn({ err: error }, 'the mailbox’s answer could not be noted')),
  });

  /**
   * Returns the mailbox's host if it differs from this server's current public address; undefined otherwise. Pages and
   * mentions at a different host don't belong to this server.
   */
  function elsewhere(): string | undefined {
    const address = new URL(cloudflare?.address() ?? base());
    return address.origin === new URL(base()).origin ? undefined : address.host;
  }
  /**
   * The hosts of all current and earlier URLs of posts. Mentions at these hosts are accepted even after the site moves.
   */
  let formerHosts: readonly string[] = [];
  async function readFormerHosts(): Promise<void> {
    try {
      formerHosts = (await deps.posts.homeOrigins()).map((origin) => hostOf(new URL(origin)));
    } catch (error) {
      log.warn({ err: error }, 'the former hosts of posts can’t be read');
    }
  }
  const isReached = () => deps.isReachable() && elsewhere() === undefined;

  const mailbox = createMailbox({
    client,
    isOn,
    hub,
    activity,
    clock,
    log,
    changed,
    server: () => (listener.state.kind === 'on' && !isReached() ? 'trouble' : listener.state.kind),
    hosts: () => [...new Set([...deps.mentioning.targetHosts(), ...formerHosts])],
    async drain(signal) {
      const host = elsewhere();
      if (host !== undefined)
        throw new PorchlightError(
          'mailbox_failed',
          `The mailbox is at ${host}, but this server has another address now. The mailbox keeps what it has until this server is at ${host} again.`,
        );
      return await drainMailbox(
        {
          client,
          log,
          keys: async () => (await existingKeys()).sealing,
          async receive(request, arrived) {
            if (request.kind === 'webmention') return deps.mentioning.receiveKept({ ...request, arrived });
            return deps.requestKept(request.fields, arrived, request.visitor);
          },
        },
        signal,
      );
    },
  });

  const pageAddresses = () =>
    deps.settings().site.pages.map(({ slug }) => new URL(slug, `${base()}/`).pathname);
  let pages = pageAddresses();
  /**
   * If the mailbox's address differs from this server's, no pages are copied to it, because pages contain this server's
   * address.
   */
  const copiedApp = () => (elsewhere() === undefined ? listener.app : undefined);
  const copies = openCopies({
    log,
    base,
    isOn,
    work: deps.work,
    now: clock,
    store: client,
    posts: deps.posts,
    versions: deps.versions,
    ask: createAskSelf({ app: copiedApp, base, mostBytes: mostCopyBytes }),
    pages: () => deps.settings().site.pages,
    isServing: () => copiedApp() !== undefined,
    changed: () => mailbox.copiesChanged(),
  });
  let lastBase = base();
  mailbox.connect(copies);

  const empty = (apiToken: string | undefined) =>
    emptyMailbox({
      fetchNow: () => mailbox.fetchNow(),
      kept: () => mailbox.status().kept,
      isRouted: () => opened().isRouted(apiToken),
    });

  /** Fetches the requests in the mailbox. If that fails, only logs the error. */
  async function fetchKept(): Promise<void> {
    await mailbox
      .fetchNow()
      .catch((error: unknown) => log.warn({ err: error }, 'the mailbox could not be emptied'));
  }

  /**
   * Loads the keys. If that fails, only logs the error, because a locked keychain or damaged keys must not stop
   * anything else. The mailbox's status reports the problem.
   */
  async function loadKeys(): Promise<void> {
    await keys.read().catch((error: unknown) => log.warn({ err: error }, 'the mailbox’s keys can’t be read'));
  }

  /** Called after a change to the mailbox at Cloudflare. Updates the keys, the status and the copies. */
  async function changedAtCloudflare(): Promise<void> {
    if (isOn()) await loadKeys();
    await mailbox.synchronize();
    copies.everythingChanged({ isNew: true });
    copies.wake();
  }

  return {
    /** Connects the setup at Cloudflare, which is opened later. Call it once, before `start`. */
    connect: (found: CloudflareMailbox) => void (cloudflare = found),
    /**
     * Returns the keys that prove to the mailbox that a response comes from this server. Returns no keys while there is
     * no mailbox. While the mailbox is being removed, responses carry a proof until the keys are deleted, because the
     * Worker at Cloudflare may forward requests even after its route was deleted. Without a proof in the response, the
     * Worker would store these requests, and they would be lost when the Worker is deleted.
     */
    proofKeys: keys.proofKeys,
    /** Returns the keys that the mailbox needs. If there are none, creates them. */
    async edgeKeys() {
      const { proofKey, callKey, sealing } = await keys.readOrCreate();
      return { proofKey, callKey, sealingKey: sealing[0]?.publicKey ?? '' };
    },
    /** Deletes the keys. Call it after removing the mailbox. */
    forgetKeys: () => keys.forget(),
    changedAtCloudflare,
    /** See Copies. */
    postChanged: (...change: Parameters<Copies['postChanged']>) => copies.postChanged(...change),
    mediaDeleted: (...file: Parameters<Copies['mediaDeleted']>) => copies.mediaDeleted(...file),
    /**
     * Updates the copies of a page after one of its mentions has changed. `isHidden`: the mention is not public now, but
     * may have been public before.
     */
    async mentionChanged(target: string, isHidden: boolean): Promise<void> {
      if (!isOn() || isStopped) return;
      const { pageOf, urlOf } = deps.mentioning.mentions.pageRules;
      const page = pageOf(target);
      const urls = new Set([urlOf(page), ...(page.startsWith('/') ? [base() + oneSpelling(page)] : [])]);
      await Promise.all([...urls].map((url) => copies.pageChanged(url, isHidden)));
    },
    /**
     * Fetches all requests before the mailbox is removed.
     * @throws the same errors as `emptyMailbox`
     */
    empty,
    fetchKept,
    problem: () => mailbox.problem(),
    /** Called when the server may have been turned on or off, or its address or its hosts may have changed. */
    follow(): void {
      if (base() !== lastBase) copies.everythingChanged();
      lastBase = base();
      mailbox.follow();
    },
    /** Called when the address of the owner's site may have changed. Mentions at the old address are still accepted. */
    siteMoved(): void {
      background(readFormerHosts().then(() => mailbox.follow()));
    },
    /** Called when content that appears on all pages may have changed. */
    siteChanged(): void {
      const before = pages;
      pages = pageAddresses();
      copies.everythingChanged({ removed: before.filter((address) => !pages.includes(address)) });
    },

    handlers: {
      ...mailbox.handlers,
      'mailbox.turnOn': async ({ apiToken, takeOver = false }) => {
        if (takeOver) await client.call('claim', {});
        else await opened().upload(apiToken);
        await changedAtCloudflare();
        await activity.record('mailbox.on', 'You turned the mailbox on.');
        return mailbox.status();
      },
      'mailbox.turnOff': async ({ apiToken, discardKept = false }) => {
        await (discardKept ? fetchKept() : empty(apiToken));
        await opened().remove(apiToken);
        await changedAtCloudflare();
        await activity.record('mailbox.off', 'You turned the mailbox off.');
        return mailbox.status();
      },
      'mailbox.rotateKeys': async ({ apiToken }) => {
        // The keys are changed even if fetching failed, because the old key can still decrypt requests later.
        await fetchKept();
        const before = await keys.read().catch(() => undefined);
        let replaced: MailboxKeys | undefined;
        try {
          await opened().upload(apiToken, async () => {
            replaced = await keys.rotate();
          });
        } catch (error) {
          // If the upload failed, the mailbox most likely still uses the old keys. If the new keys arrived despite the
          // error, the owner can click Resume, which uploads the old keys again.
          if (before && replaced) await keys.takeBack(before, replaced);
          throw error;
        } finally {
          await changedAtCloudflare();
        }
        await activity.record('mailbox.keys', 'You replaced the keys of the mailbox.');
        return mailbox.status();
      },
    } satisfies Partial<Handlers>,

    async start(): Promise<void> {
      unwatch = watchWaking({ now: clock, woke: () => mailbox.wake() });
      await Promise.all([loadKeys(), readFormerHosts()]);
      await mailbox.synchronize();
      copies.start();
      copies.wake();
    },
    /**
     * Tells the mailbox that this computer is going to sleep. Resolves after at most 2 s, or earlier if the mailbox
     * confirms the message. If the computer is still awake after that, the latest changes are copied to the mailbox.
     */
    async sleep(): Promise<void> {
      await mailbox.sleep();
      copies.wake();
    },
    wake(): void {
      mailbox.wake();
      copies.wake();
    },
    /** Copies the latest changes to the mailbox before this server stops. Takes at most 2 s. */
    flush: () => copies.flush(),
    async stop(): Promise<void> {
      isStopped = true;
      unwatch();
      await Promise.all([mailbox.stop(), copies.stop()]);
    },
  };
}

export type MailboxPart = ReturnType<typeof openMailbox>;
