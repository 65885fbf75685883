import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { TunnelMode } from '../contract/settings.ts';
import type { TunnelStatus } from '../contract/tunnel.ts';
import { portFormat, createListener, type Listener } from '../http/listener.ts';
import type { EventHub } from '../owner/event-hub.ts';
import type { FloodGate } from '../owner/flood-gate.ts';
import { movedHome } from '../owner/home-page.ts';
import type { SettingsStore } from '../owner/settings.ts';
import { createTunnelActivity } from '../owner/tunnel-activity.ts';
import { createWantedTunnel, type WantedTunnel } from '../owner/tunnel.ts';
import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import type { Log } from '../platform/log.ts';
import type { Secrets } from '../platform/secrets.ts';
import { createTunnel } from '../platform/tunnel.ts';
import type { DataDocuments } from '../storage/data-documents.ts';

export interface ReachingDeps {
  readonly dataDir: string;
  readonly documents: DataDocuments;
  readonly log: Log;
  readonly hub: EventHub;
  readonly gate: FloodGate;
  readonly fetch: GuardedFetch;
  readonly secrets: Secrets;
  readonly settings: SettingsStore;
  /** The options from the entry point. Where an option is missing, the owner's setting applies. */
  readonly told: {
    readonly port: number;
    readonly portGiven?: boolean | undefined;
    readonly baseUrl?: string | undefined;
    readonly tunnel?: TunnelMode | undefined;
  };
  /** Called when the listener or the tunnel changed. */
  readonly changed: () => void;
}

interface Reached {
  /** Builds the public app, each time the server is turned on. */
  readonly build: () => Promise<FastifyInstance>;
  /** Builds the app that answers while the server is off. */
  readonly buildOff: () => Promise<FastifyInstance>;
  /** Resolves with whether this server answers at the public address. Never rejects. */
  readonly reaches: (signal: AbortSignal) => Promise<boolean>;
}

/** The part of the service that makes this server reachable: port, tunnel and public address. */
export interface Reaching {
  readonly listener: Listener;
  readonly wanted: WantedTunnel;
  readonly tunnel: () => TunnelStatus;
  /** The public origin, as far as it is known, without a trailing slash. */
  readonly base: () => string;
  /** Stores the port, which is used from the next startup on. */
  readonly keepPort: (port: number) => Promise<void>;
  /** Updates the owner's home page URL after the public address changed, if the owner has no website. */
  readonly followHome: () => Promise<void>;
  /** Adds what is reached. Call it once, before `start`. */
  readonly connect: (what: Reached) => void;
  readonly start: () => Promise<void>;
  /** Checks the tunnel now, because the computer woke or its network changed. */
  readonly wake: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Wires listener and tunnel. Does not listen yet. */
export async function openReaching(deps: ReachingDeps): Promise<Reaching> {
  const { hub, log, settings, told, changed } = deps;
  const chosenPort = await deps.documents.open('server.json', portFormat);
  let reached: Reached | undefined;
  function connected(): Reached {
    if (!reached) throw new Error('The server was started before it was connected.');
    return reached;
  }
  const listener = createListener({
    port: told.portGiven === true ? told.port : (chosenPort.data.port ?? told.port),
    build: () => connected().build(),
    buildOff: () => connected().buildOff(),
    changed,
  });
  const tellOfTunnel = createTunnelActivity(deps.gate);
  const tunnel = createTunnel({
    log,
    folder: path.join(deps.dataDir, 'tunnel'),
    fetch: deps.fetch,
    // While the server is off, the public address isn't checked, because a missing answer isn't the tunnel's fault.
    reaches: async (signal) => listener.state.kind !== 'on' || (await connected().reaches(signal)),
    onChange(now) {
      tellOfTunnel(now);
      hub.emit('tunnel.changed', now);
      changed();
    },
  });
  const wanted = createWantedTunnel({ tunnel, secrets: deps.secrets, settings, listener, mode: told.tunnel });

  /** The latest public origin since startup, which an owner without a website uses as the home page. */
  let lastPublic: string | null = null;

  function base(): string {
    const { hostname, publicUrl } = settings.get().tunnel;
    const mode = wanted.mode();
    const named = mode === 'named' && hostname !== '' ? `https://${hostname}` : undefined;
    const own = mode === 'off' && publicUrl !== '' ? publicUrl : undefined;
    return told.baseUrl ?? tunnel.status().url ?? named ?? own ?? `http://127.0.0.1:${listener.port}`;
  }

  return {
    listener,
    wanted,
    tunnel: () => tunnel.status(),
    base,
    connect: (what) => void (reached = what),
    async followHome() {
      const before = lastPublic;
      if (base().startsWith('https:')) lastPublic = base();
      const me = movedHome(settings.get().profile.me, before, base());
      if (me === null) return;
      await settings.update({ profile: { me } });
      changed();
    },
    keepPort: (port) => chosenPort.update((kept) => void (kept.port = port)),
    async start() {
      await listener.start();
      await wanted.start();
    },
    wake: () => tunnel.check(),
    async stop() {
      // Both stop in parallel: each waits for its running work, and at system shutdown both together have only 5 s.
      await Promise.all([wanted.close(), listener.stop()]);
    },
  };
}
