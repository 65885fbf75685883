import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { SettingsAccess, TunnelMode } from '../contract/settings.ts';
import type { Common } from '../http/common.ts';
import { createListener, portFormat } from '../http/listener.ts';
import type { FloodGate } from '../platform/flood-gate.ts';
import { createTunnel } from './tunnel/tunnel.ts';
import { isQuickHost } from './public-address.ts';
import { createTunnelActivity, createTunnelControl } from './tunnel/control.ts';

interface ReachingDeps extends Pick<
  Common,
  'dataDir' | 'documents' | 'log' | 'hub' | 'fetch' | 'secrets' | 'changed'
> {
  readonly gate: FloodGate;
  readonly settings: SettingsAccess;
  /** The options from the entry point. If an option is missing, the owner's setting applies. */
  readonly options: {
    /** 0 picks a free port. */
    readonly port: number;
    /** True if `port` overrides the port that the owner chose before. */
    readonly portGiven?: boolean | undefined;
    /** The public origin. */
    readonly baseUrl?: string | undefined;
    readonly tunnel?: TunnelMode | undefined;
  };
}

export interface Reached {
  /** Builds the app that serves the public. Called whenever the server is turned on. */
  readonly build: () => Promise<FastifyInstance>;
  /** Builds the app that responds to requests while the server is off. */
  readonly buildOff: () => Promise<FastifyInstance>;
  /** Returns the port to which the tunnel set up at Cloudflare forwards requests; null if there is no such tunnel. */
  readonly tunnelPort: () => number | null;
  /** Resolves to true if this server responds at the public address. Never rejects. */
  readonly reaches: (signal: AbortSignal) => Promise<boolean>;
}

/** Opens the part of the service that makes this server reachable: port, tunnel and address. Doesn't listen yet. */
export async function openReaching(deps: ReachingDeps) {
  const { hub, log, settings, options, changed } = deps;
  const chosenPort = await deps.documents.open('server.json', portFormat);
  let reached: Reached | undefined;
  function connected(): Reached {
    if (!reached) throw new Error('The server was started before it was connected.');
    return reached;
  }
  const listener = createListener({
    port: options.portGiven === true ? options.port : (chosenPort.data.port ?? options.port),
    build: () => connected().build(),
    buildOff: () => connected().buildOff(),
    usualPort: () => connected().tunnelPort(),
    changed,
  });
  const recordTunnel = createTunnelActivity(deps.gate);
  const tunnel = createTunnel({
    log,
    folder: path.join(deps.dataDir, 'tunnel'),
    fetch: deps.fetch,
    // While the server is off, the public address isn't checked: a missing response wouldn't be the tunnel's fault.
    reaches: async (signal) => listener.state.kind !== 'on' || (await connected().reaches(signal)),
    onChange(now) {
      recordTunnel(now);
      hub.emit('tunnel.changed', now);
      changed();
    },
  });
  const tunnelControl = createTunnelControl({
    tunnel,
    secrets: deps.secrets,
    settings,
    listener,
    mode: options.tunnel,
  });

  /** The latest public origin since startup. It is the home page of an owner who has no website. */
  let lastPublic: string | null = null;

  /** Returns the public origin, without a trailing slash; the loopback origin if no public one is known. */
  function base(): string {
    const { hostname, publicUrl } = settings.get().tunnel;
    const mode = tunnelControl.mode();
    const named = mode === 'named' && hostname !== '' ? `https://${hostname}` : undefined;
    const own = mode === 'off' && publicUrl !== '' ? publicUrl : undefined;
    return options.baseUrl ?? tunnel.status().url ?? named ?? own ?? `http://127.0.0.1:${listener.port}`;
  }

  return {
    listener,
    tunnelControl,
    tunnel: tunnel.status,
    base,
    /** Connects the functions that build the public apps and check the public address. Call it once, before `start`. */
    connect: (what: Reached) => void (reached = what),
    /** Updates the owner's home page URL after the public address has changed, if the owner has no website. */
    async followHome(): Promise<void> {
      const before = lastPublic;
      if (base().startsWith('https:')) lastPublic = base();
      const me = movedHome(settings.get().profile.me, before, base());
      if (me === null) return;
      await settings.update({ profile: { me } });
      changed();
    },
    /** Stores the port for the next startup. */
    keepPort: (port: number) => chosenPort.update((kept) => void (kept.port = port)),
    async start(): Promise<void> {
      await listener.start();
      await tunnelControl.start();
    },
    /** Checks the tunnel now. Called when the computer wakes up or its network changes. */
    wake: tunnel.check,
    async stop(): Promise<void> {
      // Stop the tunnel and the listener in parallel. Each waits for its running work, and together they have only 5 s
      // when the system shuts down.
      await Promise.all([tunnelControl.close(), listener.stop()]);
    },
  };
}

export type Reaching = Awaited<ReturnType<typeof openReaching>>;

/**
 * Returns the owner's new profile URL after the public address has changed from `before` to `base`. Returns null if the
 * current profile URL, `me`, stays the same, for example because it isn't at the public address. A `me` at a quick
 * tunnel always counts as the public address, because nobody's own website is at such an address.
 */
export function movedHome(me: string | null, before: string | null, base: string): string | null {
  if (me === null) return null;
  const [old, home] = [new URL(me), new URL(base)];
  const isHome = isQuickHost(old.hostname) || old.href === `${before ?? ''}/`;
  return isHome && home.protocol === 'https:' && home.origin !== old.origin ? home.href : null;
}
