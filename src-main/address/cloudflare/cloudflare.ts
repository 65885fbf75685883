import type { Common } from '../../http/common.ts';
import { setTimeout } from 'node:timers/promises';
import type { CloudflareStatus } from '../../contract/reach.ts';
import type { EventHub, Params } from '../../contract/contract.ts';
import { PorchlightError } from '../../contract/error.ts';
import type { SettingsAccess } from '../../contract/settings.ts';
import { CloudflareApi } from './api.ts';
import type { Activity } from '../../storage/records/activity.ts';
import { createApiTokens, whatTokenOffers } from './api-token.ts';
import { hostnameInZone, inactiveWords, nameTaken } from './host-name.ts';
import {
  type CloudflareDocument,
  type CloudflareSetup,
  freshSetup,
  noteSetup,
  resourceId,
  setupIn,
  type StepDeps,
} from './record.ts';
import type { TunnelControl } from '../tunnel/control.ts';
import { createTasks } from './tasks.ts';

interface CloudflareDeps
  extends Omit<StepDeps, 'useTunnel' | 'leaveTunnel'>, Pick<Common, 'secrets' | 'fetch'> {
  readonly settings: SettingsAccess;
  readonly hub: Pick<EventHub, 'emit'>;
  readonly activity: Pick<Activity, 'record'>;
  /** The base address of Cloudflare's API (see cloudflareApiBase). */
  readonly apiBase: string;
  readonly tunnel: Pick<TunnelControl, 'setToken' | 'follow'>;
  /** Waits between two attempts to send a request. Tests replace this function. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Sets up a tunnel, its DNS record and the mailbox at Cloudflare, and removes them again. `document`: see
 * openCloudflareRecord. Records each resource on disk before creating it, under a name chosen in advance. That way, a setup or its removal
 * can be resumed after any interruption.
 */
export class Cloudflare {
  readonly #options: CloudflareDeps;
  readonly #document: CloudflareDocument;
  readonly #pause: NonNullable<CloudflareDeps['pause']>;
  readonly #tokens: ReturnType<typeof createApiTokens>;
  readonly #closing = new AbortController();
  readonly #tasks: ReturnType<typeof createTasks>;

  constructor(options: CloudflareDeps, document: CloudflareDocument) {
    this.#options = options;
    this.#document = document;
    this.#pause = options.pause ?? wait;
    this.#tokens = createApiTokens(this.#options.secrets, this.#document);
    this.#tasks = createTasks({
      document: this.#document,
      tokens: this.#tokens,
      apiWith: (token) => this.#apiWith(token),
      hub: this.#options.hub,
      closing: this.#closing.signal,
      steps: { ...this.#options, ...createTunnelUse(this.#options) },
    });
  }

  status(): CloudflareStatus {
    return cloudflareStatus(this.#setup(), { working: this.#tasks.working(), port: this.#options.port() });
  }

  /** Returns the accounts and domains that an API token can access, and remembers the token. */
  async connect(apiToken: string): ReturnType<typeof whatTokenOffers> {
    const offers = await whatTokenOffers(this.#apiWith(apiToken));
    this.#tokens.remember(apiToken);
    return offers;
  }

  /** Returns whether a host name can be set up, with words for the owner. */
  async checkName(
    zoneId: string,
    hostname: string,
  ): Promise<{ readonly available: boolean; readonly words: string }> {
    const api = this.#apiWith(await this.#tokens.current());
    const zone = await api.zone(zoneId);
    try {
      const name = hostnameInZone(hostname, zone.name);
      const problem = inactiveWords(zone) ?? (await nameTaken(api, zone, name, this.#setup()));
      return { available: problem === null, words: problem ?? `${name} is free.` };
    } catch (error) {
      if (!(error instanceof PorchlightError) || error.code !== 'invalid_request') throw error;
      return { available: false, words: error.message };
    }
  }

  setUp(requested: Params<'cloudflare.setUp'>): Promise<CloudflareStatus> {
    return this.#alone(() => this.#begin(requested));
  }

  /** Continues the task that was interrupted. */
  resume(apiToken: string | undefined): Promise<CloudflareStatus> {
    return this.#alone(async () => {
      const { task } = this.#setup() ?? refuseToContinue();
      if (task === null && !this.#isPortMoved()) return;
      const token = await this.#checkedToken(apiToken);
      if (task === 'disconnect') await this.#disconnect(token);
      else if (task !== null) await this.#tasks.setUp(task, token);
      else await this.#tasks.followPort(token);
    });
  }

  /** Removes what was created at Cloudflare. */
  remove(apiToken: string | undefined): Promise<CloudflareStatus> {
    return this.#alone(async () => {
      if (this.#setup() !== null) await this.#disconnect(await this.#checkedToken(apiToken));
    });
  }

  /** Returns the recorded setup; null if there is none. */
  record(): Readonly<CloudflareSetup> | null {
    return this.#setup();
  }

  /**
   * Does the work that an interruption may have prevented. Deletes an API token that Porchlight no longer needs. If
   * the owner keeps the token and the port has changed, tells Cloudflare the new port. Call this method once the port
   * is known.
   */
  async start(): Promise<void> {
    const now = this.#setup();
    if (now === null || now.task !== null || !now.tokenStored) return;
    if (!now.keepToken) await this.#tokens.discard();
    else if (this.#isPortMoved())
      await this.#alone(async () => this.#tasks.followPort(await this.#tokens.current()));
  }

  /** Interrupts the running task. The task can be resumed after the next start. */
  async stop(): Promise<void> {
    this.#closing.abort();
    await this.#tasks.ended();
  }

  /** Returns whether both the mailbox's Worker and its route were created. */
  mailboxExists(): boolean {
    return resourceId(this.#setup()?.worker) !== null && resourceId(this.#setup()?.route) !== null;
  }

  /**
   * Uploads the mailbox's Worker with the current keys, and creates its route if there is none. Calls `prepare` once the
   * API token is verified, before changing anything.
   * @throws the same PorchlightErrors as `setUp`
   */
  uploadMailbox(apiToken?: string, prepare?: () => Promise<void>): Promise<void> {
    return this.#changeMailbox(true, apiToken, prepare);
  }

  /**
   * Returns whether the mailbox's route still points to its Worker.
   * @throws the same PorchlightErrors as `setUp`
   */
  async isMailboxRouted(apiToken?: string): Promise<boolean> {
    const { zoneId, route, worker } = setupIn(this.#document);
    const routes = await this.#apiWith(await this.#checkedToken(apiToken)).routes(zoneId);
    return routes.some(({ pattern, script }) => pattern === route?.name && script === worker?.name);
  }

  /**
   * Removes the mailbox's route and Worker, including the Worker's data.
   * @throws the same PorchlightErrors as `remove`
   */
  removeMailbox(apiToken?: string): Promise<void> {
    return this.#changeMailbox(false, apiToken);
  }

  #setup() {
    return this.#document.data.setup;
  }

  #apiWith(token: string): CloudflareApi {
    return new CloudflareApi({
      fetch: this.#options.fetch,
      base: this.#options.apiBase,
      token,
      signal: this.#closing.signal,
      pause: this.#pause,
    });
  }

  /** Returns the API token to use. Verifies a newly pasted token first, so that a mistyped token changes nothing. */
  async #checkedToken(apiToken: string | undefined): Promise<string> {
    if (apiToken === undefined) return await this.#tokens.current();
    await this.#apiWith(apiToken).verifyToken();
    return apiToken;
  }

  /** Runs `work`, and returns the status afterwards. @throws PorchlightError busy if other work is running */
  async #alone(work: () => Promise<void>): Promise<CloudflareStatus> {
    await this.#tasks.alone(work);
    return this.status();
  }

  async #disconnect(token: string): Promise<void> {
    const { hostname } = setupIn(this.#document);
    await this.#tasks.disconnect(token);
    await this.#options.activity.record('cloudflare.removed', `You removed ${hostname} from Cloudflare.`);
  }

  async #begin(requested: Params<'cloudflare.setUp'>): Promise<void> {
    const token = await this.#tokens.current();
    const { accountId, zoneId, mailbox, keepToken = false } = requested;
    const hostname = hostnameInZone(requested.hostname, (await this.#apiWith(token).zone(zoneId)).name);
    const before = this.#setup();
    if (before !== null && before.hostname !== hostname)
      throw new PorchlightError(
        'cloudflare_failed',
        `Porchlight has set up ${before.hostname} at Cloudflare. Remove it first.`,
      );
    if (before === null)
      await this.#document.update((data) => {
        data.setup = { ...freshSetup(), accountId, zoneId, hostname, mailbox, keepToken };
      });
    else await noteSetup(this.#document, { task: 'setUp', trouble: '', mailbox, keepToken });
    await this.#tasks.setUp('setUp', token);
    await this.#options.activity.record(
      'cloudflare.ready',
      `${hostname} leads to this computer, through Cloudflare.`,
    );
  }

  /**
   * Creates or updates the mailbox at Cloudflare, or removes it if `isRequested` is false. Calls `prepare` once the API
   * token is verified, before changing anything.
   */
  async #changeMailbox(
    isRequested: boolean,
    apiToken: string | undefined,
    prepare: () => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    await this.#alone(async () => {
      if (this.#setup()?.task !== null)
        throw new PorchlightError('cloudflare_failed', 'Finish the setup at Cloudflare first.');
      const token = await this.#checkedToken(apiToken);
      await prepare();
      await noteSetup(this.#document, { task: 'mailbox', trouble: '', mailbox: isRequested });
      await this.#tasks.setUp('mailbox', token);
    });
  }

  #isPortMoved() {
    const now = this.#setup();
    return now !== null && now.task === null && portHasMoved(now, this.#options.port());
  }
}

function refuseToContinue(): never {
  throw new PorchlightError('invalid_request', 'Nothing at Cloudflare is unfinished.');
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}

/** Returns whether this server listens on a different port from the one to which the tunnel forwards requests. */
function portHasMoved(setup: CloudflareSetup, port: number): boolean {
  return setup.port !== null && setup.port !== port;
}

/** Returns the status for the owner. `working`: a description of the running step; null if no step is running. */
function cloudflareStatus(
  setup: CloudflareSetup | null,
  { working, port }: { working: string | null; port: number },
): CloudflareStatus {
  if (setup === null)
    return {
      state: working === null ? 'none' : 'working',
      words: working ?? 'Nothing was set up at Cloudflare.',
      task: null,
      hostname: null,
      mailbox: false,
      created: [],
      tokenKept: false,
    };
  const { hostname, mailbox, tunnel, record, worker, route } = setup;
  const isMoved = portHasMoved(setup, port);
  const isUnfinished = setup.task !== null || isMoved;
  return {
    state: working !== null ? 'working' : isUnfinished ? 'unfinished' : 'ready',
    words: working ?? wordsFor(setup, isMoved, port),
    task: setup.task === 'mailbox' ? 'setUp' : (setup.task ?? (isMoved ? 'setUp' : null)),
    hostname,
    mailbox,
    created: (
      [
        ['tunnel', tunnel],
        ['record', record],
        ['worker', worker],
        ['route', route],
      ] as const
    ).flatMap(([what, part]) => (part === null || part.id === null ? [] : [{ what, name: part.name }])),
    tokenKept: setup.tokenStored,
  };
}

function wordsFor(setup: CloudflareSetup, isMoved: boolean, port: number): string {
  const { task, trouble, hostname } = setup;
  if (task === 'setUp')
    return `The setup of ${hostname} isn’t finished. ${trouble === '' ? 'It was interrupted.' : trouble}`;
  if (task === 'mailbox')
    return `The change of the mailbox isn’t finished. ${trouble === '' ? 'It was interrupted.' : trouble}`;
  if (task === 'disconnect')
    return `Not everything of ${hostname} was removed from Cloudflare. ${trouble === '' ? 'The removal was interrupted.' : trouble}`;
  if (isMoved)
    return `Porchlight’s port has changed from ${setup.port ?? ''} to ${port}, but the tunnel still leads ${hostname} to the old one. Continue, so that Porchlight tells Cloudflare.`;
  return `${hostname} leads to this computer.`;
}

/**
 * Returns two functions: one makes this server use the tunnel that the setup created, and the other makes this server
 * stop using that tunnel. Both are idempotent.
 */
function createTunnelUse({ tunnel, settings }: Pick<CloudflareDeps, 'tunnel' | 'settings'>) {
  return {
    async useTunnel(hostname: string, token: string): Promise<void> {
      // Save the host name first. If Porchlight is then killed, `leaveTunnel` finds the host name and deletes the
      // token.
      await settings.update({ tunnel: { mode: 'named', hostname } });
      await tunnel.setToken(token);
      await tunnel.follow();
    },

    /** Stops using the tunnel. Keeps a different tunnel that the owner has set up in the meantime. */
    async leaveTunnel(hostname: string): Promise<void> {
      if (settings.get().tunnel.hostname !== hostname) return;
      if (settings.get().tunnel.mode === 'named') await settings.update({ tunnel: { mode: 'off' } });
      await tunnel.follow();
      await tunnel.setToken('');
      // Clear the host name last. If Porchlight is killed first, another call of `leaveTunnel` repeats the steps above.
      await settings.update({ tunnel: { hostname: '' } });
    },
  };
}
