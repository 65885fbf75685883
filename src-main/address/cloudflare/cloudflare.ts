import { setTimeout } from 'node:timers/promises';
import type { CloudflareStatus } from '../../contract/reach.ts';
import type { EventHub, Handlers, Params } from '../../contract/contract.ts';
import { PorchlightError } from '../../contract/error.ts';
import type { Settings, SettingsAccess, SettingsPatch } from '../../contract/settings.ts';
import { type CloudflareApi, createCloudflareApi } from '../../platform/cloudflare-api.ts';
import type { GuardedFetch } from '../../platform/guarded-fetch.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { DataDocuments } from '../../storage/document.ts';
import type { Activity } from '../../storage/records/activity.ts';
import { createApiTokens, whatTokenOffers } from './api-token.ts';
import { hostnameInZone, inactiveWords, nameTaken } from './host-name.ts';
import {
  type CloudflareSetup,
  freshSetup,
  noteSetup,
  openCloudflareRecord,
  resourceId,
  setupIn,
  type StepDeps,
} from './record.ts';
import { createTasks } from './tasks.ts';

export type Cloudflare = Awaited<ReturnType<typeof createCloudflare>>;

interface CloudflareDeps extends Omit<StepDeps, 'useTunnel' | 'leaveTunnel'> {
  readonly documents: DataDocuments;
  readonly secrets: Secrets;
  readonly settings: SettingsAccess;
  readonly hub: Pick<EventHub, 'emit'>;
  readonly activity: Pick<Activity, 'record'>;
  readonly fetch: GuardedFetch;
  /** The base address of Cloudflare's API (see cloudflareApiBase). */
  readonly apiBase: string;
  readonly tunnel: OwnTunnel;
  /** Waits between two attempts to send a request. Tests replace this function. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Creates the part that sets up a tunnel, its DNS record and the mailbox at Cloudflare, and that removes them again.
 * Records each resource on disk before creating it, under a name chosen in advance. That way, a setup or its removal
 * can be resumed after any interruption.
 */
export async function createCloudflare(deps: CloudflareDeps) {
  const { activity, port, pause = wait } = deps;
  const document = await openCloudflareRecord(deps.documents);
  const tokens = createApiTokens(deps.secrets, document);
  const closing = new AbortController();
  const setup = () => document.data.setup;
  const apiWith = (token: string): CloudflareApi =>
    createCloudflareApi({ fetch: deps.fetch, base: deps.apiBase, token, signal: closing.signal, pause });
  const tasks = createTasks({
    document,
    tokens,
    apiWith,
    hub: deps.hub,
    closing: closing.signal,
    steps: { ...deps, ...createTunnelUse(deps) },
  });
  const status = (): CloudflareStatus =>
    cloudflareStatus(setup(), { working: tasks.working(), port: port() });

  /** Returns the API token to use. Verifies a newly pasted token first, so that a mistyped token changes nothing. */
  async function checkedToken(apiToken: string | undefined): Promise<string> {
    if (apiToken === undefined) return await tokens.current();
    await apiWith(apiToken).verifyToken();
    return apiToken;
  }

  /** Runs `work`, and returns the status afterwards. @throws PorchlightError busy if other work is running */
  async function alone(work: () => Promise<void>): Promise<CloudflareStatus> {
    await tasks.alone(work);
    return status();
  }

  async function disconnect(token: string): Promise<void> {
    const { hostname } = setupIn(document);
    await tasks.disconnect(token);
    await activity.record('cloudflare.removed', `You removed ${hostname} from Cloudflare.`);
  }

  async function begin(requested: Params<'cloudflare.setUp'>): Promise<void> {
    const token = await tokens.current();
    const { accountId, zoneId, mailbox, keepToken = false } = requested;
    const hostname = hostnameInZone(requested.hostname, (await apiWith(token).zone(zoneId)).name);
    const before = setup();
    if (before !== null && before.hostname !== hostname)
      throw new PorchlightError(
        'cloudflare_failed',
        `Porchlight has set up ${before.hostname} at Cloudflare. Remove it first.`,
      );
    if (before === null)
      await document.update((data) => {
        data.setup = { ...freshSetup(), accountId, zoneId, hostname, mailbox, keepToken };
      });
    else await noteSetup(document, { task: 'setUp', trouble: '', mailbox, keepToken });
    await tasks.setUp('setUp', token);
    await activity.record('cloudflare.ready', `${hostname} leads to this computer, through Cloudflare.`);
  }

  /**
   * Creates or updates the mailbox at Cloudflare, or removes it if `isRequested` is false. Calls `prepare` once the API
   * token is verified, before changing anything.
   */
  async function changeMailbox(
    isRequested: boolean,
    apiToken: string | undefined,
    prepare: () => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    await alone(async () => {
      if (setup()?.task !== null)
        throw new PorchlightError('cloudflare_failed', 'Finish the setup at Cloudflare first.');
      const token = await checkedToken(apiToken);
      await prepare();
      await noteSetup(document, { task: 'mailbox', trouble: '', mailbox: isRequested });
      await tasks.setUp('mailbox', token);
    });
  }

  const handlers = {
    'cloudflare.status': status,
    'cloudflare.connect': async ({ apiToken }) => {
      const offers = await whatTokenOffers(apiWith(apiToken));
      tokens.remember(apiToken);
      return offers;
    },
    'cloudflare.checkName': async ({ zoneId, hostname }) => {
      const api = apiWith(await tokens.current());
      const zone = await api.zone(zoneId);
      try {
        const name = hostnameInZone(hostname, zone.name);
        const problem = inactiveWords(zone) ?? (await nameTaken(api, zone, name, setup()));
        return { available: problem === null, words: problem ?? `${name} is free.` };
      } catch (error) {
        if (!(error instanceof PorchlightError) || error.code !== 'invalid_request') throw error;
        return { available: false, words: error.message };
      }
    },
    'cloudflare.setUp': (requested) => alone(() => begin(requested)),
    'cloudflare.resume': ({ apiToken }) =>
      alone(async () => {
        const { task } = setup() ?? refuseToContinue();
        if (task === null && !isPortMoved()) return;
        const token = await checkedToken(apiToken);
        if (task === 'disconnect') await disconnect(token);
        else if (task !== null) await tasks.setUp(task, token);
        else await tasks.followPort(token);
      }),
    'cloudflare.disconnect': ({ apiToken }) =>
      alone(async () => {
        if (setup() !== null) await disconnect(await checkedToken(apiToken));
      }),
  } satisfies Partial<Handlers>;

  const isPortMoved = () => {
    const now = setup();
    return now !== null && now.task === null && portHasMoved(now, port());
  };

  return {
    handlers,
    /** Returns the recorded setup; null if there is none. */
    record: (): Readonly<CloudflareSetup> | null => setup(),
    /**
     * Does the work that an interruption may have prevented. Deletes an API token that Porchlight no longer needs. If
     * the owner keeps the token and the port has changed, tells Cloudflare the new port. Call this method once the port
     * is known.
     */
    async start(): Promise<void> {
      const now = setup();
      if (now === null || now.task !== null || !now.tokenStored) return;
      if (!now.keepToken) await tokens.discard();
      else if (isPortMoved()) await alone(async () => tasks.followPort(await tokens.current()));
    },
    /** Interrupts the running task. The task can be resumed after the next start. */
    async stop(): Promise<void> {
      closing.abort();
      await tasks.ended();
    },
    mailbox: {
      /** Returns whether both the mailbox's Worker and its route were created. */
      exists: () => resourceId(setup()?.worker) !== null && resourceId(setup()?.route) !== null,
      /**
       * Uploads the Worker with the current keys, and creates its route if there is none. Calls `prepare` once the API
       * token is verified, before changing anything.
       * @throws the same PorchlightErrors as cloudflare.setUp
       */
      upload: (apiToken?: string, prepare?: () => Promise<void>) => changeMailbox(true, apiToken, prepare),
      /**
       * Returns whether the route still points to the Worker.
       * @throws the same PorchlightErrors as cloudflare.setUp
       */
      async isRouted(apiToken?: string): Promise<boolean> {
        const { zoneId, route, worker } = setupIn(document);
        const routes = await apiWith(await checkedToken(apiToken)).routes(zoneId);
        return routes.some(({ pattern, script }) => pattern === route?.name && script === worker?.name);
      },
      /**
       * Removes the route and the Worker, including the Worker's data.
       * @throws the same PorchlightErrors as cloudflare.disconnect
       */
      remove: (apiToken?: string) => changeMailbox(false, apiToken),
    },
  };
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

/** The functions that control this server's tunnel (see tunnel.ts). */
interface OwnTunnel {
  /**
   * Stores the tunnel's token; an empty string deletes the token. Restarts a named tunnel that is running or has
   * failed.
   */
  setToken(token: string): Promise<unknown>;
  /** Starts, restarts or stops the tunnel if its settings have changed. */
  follow(): Promise<void>;
}

interface TunnelUseDeps {
  readonly tunnel: OwnTunnel;
  readonly settings: { get(): Settings; update(patch: SettingsPatch): Promise<unknown> };
}

/**
 * Returns two functions: one makes this server use the tunnel that the setup created, and the other makes this server
 * stop using that tunnel. Both are idempotent.
 */
function createTunnelUse({ tunnel, settings }: TunnelUseDeps) {
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
