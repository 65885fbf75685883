import type { Handlers } from '../contract/contract.ts';
import type { Profile, TunnelMode } from '../contract/settings.ts';
import type { Problem, Status } from '../contract/status.ts';
import type { TunnelStatus } from '../contract/tunnel.ts';
import type { Listener } from '../http/listener.ts';
import type { WaitingRoom } from '../sign-in/waiting-room.ts';
import type { Activity } from '../storage/records/activity.ts';
import type { OwnerNews } from './news.ts';
import type { WantedTunnel } from '../address/tunnel.ts';

interface StatusDeps {
  readonly listener: Listener;
  readonly base: () => string;
  readonly tunnel: () => TunnelStatus;
  /** Returns the kind of tunnel that the owner wants. */
  readonly wanted: () => TunnelMode;
  readonly profile: () => Profile;
  readonly secrets: Status['secrets'];
  readonly flags: Status['flags'];
  readonly waitingRoom: WaitingRoom;
  readonly version: string;
  readonly problems: () => readonly Problem[];
  /** Returns how many posts have been read while the lists lack some; undefined otherwise. */
  readonly indexing: () => { readonly done: number; readonly total: number } | undefined;
  readonly demo: boolean;
}

/** Returns the state of the server, for the window, the tray and the sign-in prompt. */
export function statusOf(deps: StatusDeps): Status {
  const { secrets, flags, version, demo } = deps;
  const { state, port } = deps.listener;
  const [base, tunnel] = [deps.base(), deps.tunnel()];
  const isLost = state.kind === 'on' && tunnel.state === 'failed';
  return {
    server: isLost ? 'trouble' : state.kind,
    words: wordsOf(state, base, tunnel, deps.wanted()) + indexingWords(deps.indexing()),
    baseUrl: base,
    port: state.kind === 'on' ? port : null,
    me: deps.profile().me,
    secrets,
    flags,
    waiting: deps.waitingRoom.waiting().length,
    version,
    problems: [...deps.problems()],
    demo,
  };
}

function wordsOf(state: Listener['state'], base: string, tunnel: TunnelStatus, wanted: TunnelMode): string {
  if (state.kind === 'off') return 'Off';
  if (state.kind === 'trouble') return `Not reachable: ${state.message}`;
  if (tunnel.state === 'failed') return `On, but not reachable: ${tunnel.words}`;
  if (tunnel.state === 'downloading' || tunnel.state === 'starting')
    return 'On, but the tunnel is still starting';
  if (tunnel.state === 'reconnecting') return 'On, but the tunnel is reconnecting';
  if (wanted !== 'off' && tunnel.state === 'off') return 'On, but the tunnel is stopped';
  return base.startsWith('https:')
    ? `On, reachable at ${base}`
    : `On, reachable on this computer only, at ${base}`;
}

function indexingWords(progress: ReturnType<StatusDeps['indexing']>): string {
  if (progress === undefined) return '';
  const [done, total] = [progress.done, progress.total].map((count) => count.toLocaleString('en'));
  return `. Preparing the lists of posts: ${done} of ${total}`;
}

interface ServerDeps {
  readonly listener: Listener;
  readonly status: () => Status;
  readonly activity: Activity;
  readonly news: Pick<OwnerNews, 'dismiss'>;
  readonly tunnel: Pick<WantedTunnel, 'start' | 'resume'>;
  /** Saves the port for the next start. */
  readonly keepPort: (port: number) => Promise<void>;
}

export function statusHandlers({ listener, status, activity, news, tunnel, keepPort }: ServerDeps) {
  const isOn = () => listener.state.kind === 'on';
  return {
    'status.get': () => status(),
    'status.dismiss': async ({ id }) => {
      await news.dismiss(id);
      return status();
    },
    'server.turnOn': async () => {
      const wasOn = isOn();
      await listener.start();
      // If the server is already on, turning it on again restarts the tunnel.
      await (wasOn ? tunnel.start() : tunnel.resume());
      if (!wasOn && isOn()) await activity.tell('server.on', 'You turned the light on.');
      return status();
    },
    'server.turnOff': async () => {
      const wasOn = isOn();
      // Keep the tunnel connected, so that visitors see that Porchlight is off, and so that a temporary address stays
      // valid.
      await listener.turnOff();
      if (wasOn) await activity.tell('server.off', 'You turned the light off.');
      return status();
    },
    'server.usePort': async ({ port }) => {
      await listener.usePort(port);
      if (listener.state.kind !== 'on') return status();
      await keepPort(listener.port);
      await activity.tell('server.port', `You moved Porchlight to port ${listener.port}.`);
      await tunnel.start();
      return status();
    },
  } satisfies Partial<Handlers>;
}
