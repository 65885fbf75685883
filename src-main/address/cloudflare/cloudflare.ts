import { setTimeout } from 'node:timers/promises';
import type { CloudflareStatus } from '../../contract/cloudflare.ts';
import type { Handlers, Params } from '../../contract/contract.ts';
import { PorchlightError } from '../../contract/error.ts';
import { createCloudflareApi, type CloudflareApi } from '../../platform/cloudflare-api.ts';
import type { GuardedFetch } from '../../platform/guarded-fetch.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { DataDocuments } from '../../storage/data-documents.ts';
import type { Activity } from '../../storage/records/activity.ts';
import type { EventHub } from '../../contract/event-hub.ts';
import type { SettingsAccess } from '../../contract/settings.ts';
import { createApiTokens } from './api-token.ts';
import { whatTokenOffers } from './connection.ts';
import { hostnameInZone, inactiveWords, nameTaken } from './host-name.ts';
import {
  freshSetup,
  resourceId,
  noteSetup,
  openCloudflareRecord,
  setupIn,
  type CloudflareSetup,
} from './record.ts';
import { cloudflareStatus, portHasMoved } from './status.ts';
import type { StepDeps } from './step.ts';
import { createTasks } from './tasks.ts';
import { createTunnelUse, type OwnTunnel } from './tunnel-use.ts';

export type Cloudflare = Awaited<ReturnType<typeof createCloudflare>>;

export interface CloudflareDeps extends Omit<StepDeps, 'useTunnel' | 'leaveTunnel'> {
  readonly documents: DataDocuments;
  readonly secrets: Secrets;
  readonly settings: SettingsAccess;
  readonly hub: Pick<EventHub, 'emit'>;
  readonly activity: Pick<Activity, 'tell'>;
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
    ...{ document, tokens, apiWith, hub: deps.hub, closing: closing.signal },
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
    await activity.tell('cloudflare.removed', `You removed ${hostname} from Cloudflare.`);
  }

  async function begin(wanted: Params<'cloudflare.setUp'>): Promise<void> {
    const token = await tokens.current();
    const { accountId, zoneId, mailbox, keepToken = false } = wanted;
    const hostname = hostnameInZone(wanted.hostname, (await apiWith(token).zone(zoneId)).name);
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
    await activity.tell('cloudflare.ready', `${hostname} leads to this computer, through Cloudflare.`);
  }

  /**
   * Creates or updates the mailbox at Cloudflare, or removes it if `wanted` is false. Calls `prepare` once the API
   * token is verified, before changing anything.
   */
  async function changeMailbox(
    wanted: boolean,
    apiToken: string | undefined,
    prepare: () => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    await alone(async () => {
      if (setup()?.task !== null)
        throw new PorchlightError('cloudflare_failed', 'Finish the setup at Cloudflare first.');
      const token = await checkedToken(apiToken);
      await prepare();
      await noteSetup(document, { task: 'mailbox', trouble: '', mailbox: wanted });
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
    'cloudflare.setUp': (wanted) => alone(() => begin(wanted)),
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
