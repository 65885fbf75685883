import type { Handlers } from '../contract/contract.ts';
import type { TunnelStatus } from '../contract/reach.ts';
import type { TunnelMode } from '../contract/settings.ts';
import type { Status } from '../contract/status.ts';
import type { Listener } from '../http/listener.ts';
import type { Activity } from '../storage/records/activity.ts';
import type { Foundation } from './foundation.ts';
import type { OwnerNews } from './news.ts';
import type { Parts } from './parts.ts';
import type { ServiceOptions } from './service.ts';

/** Returns the state of the server, for the window, the tray and the sign-in prompt. */
export function statusOf(options: ServiceOptions, foundation: Foundation, parts: Parts): Status {
  const { reaching, identifying, signingIn, publishing } = parts;
  const { state, port } = reaching.listener;
  const [base, tunnel] = [reaching.base(), reaching.tunnel()];
  const words = serverWords(state, base, tunnel, reaching.tunnelControl.mode());
  const isLost = state.kind === 'on' && tunnel.state === 'failed';
  return {
    server: isLost ? 'trouble' : state.kind,
    words: words + indexingWords(publishing.posts.progress()),
    baseUrl: base,
    port: state.kind === 'on' ? port : null,
    me: identifying.profile().me,
    secrets: foundation.secrets.kind,
    flags: { baseUrl: options.baseUrl !== undefined, tunnel: options.tunnel ?? null },
    waiting: signingIn.indieAuth.waitingRoom.waiting().length,
    version: options.version,
    problems: foundation.problems.list(),
    demo: options.web !== undefined,
  };
}

function serverWords(state: Listener['state'], base: string, tunnel: TunnelStatus, mode: TunnelMode): string {
  if (state.kind === 'off') return 'Off';
  if (state.kind === 'trouble') return `Not reachable: ${state.message}`;
  if (tunnel.state === 'failed') return `On, but not reachable: ${tunnel.words}`;
  if (tunnel.state === 'downloading' || tunnel.state === 'starting')
    return 'On, but the tunnel is still starting';
  if (tunnel.state === 'reconnecting') return 'On, but the tunnel is reconnecting';
  if (mode !== 'off' && tunnel.state === 'off') return 'On, but the tunnel is stopped';
  return base.startsWith('https:')
    ? `On, reachable at ${base}`
    : `On, reachable on this computer only, at ${base}`;
}

/** Says how many posts have been read while the lists lack some. */
function indexingWords(progress: ReturnType<Parts['publishing']['posts']['progress']>): string {
  if (progress === undefined) return '';
  const [done, total] = [progress.done, progress.total].map((count) => count.toLocaleString('en'));
  return `. Reading posts from their files: ${done} of ${total}`;
}

export function statusHandlers(
  { listener, tunnelControl: tunnel, keepPort }: Parts['reaching'],
  status: () => Status,
  activity: Activity,
  news: OwnerNews,
) {
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
      if (!wasOn && isOn()) await activity.record('server.on', 'You turned Porchlight on.');
      return status();
    },
    'server.turnOff': async () => {
      const wasOn = isOn();
      // Keep the tunnel connected, so that visitors see that Porchlight is off, and so that a temporary address stays
      // valid.
      await listener.turnOff();
      if (wasOn) await activity.record('server.off', 'You turned Porchlight off.');
      return status();
    },
    'server.usePort': async ({ port }) => {
      await listener.usePort(port);
      if (listener.state.kind !== 'on') return status();
      await keepPort(listener.port);
      await activity.record('server.port', `You moved Porchlight to port ${listener.port}.`);
      await tunnel.start();
      return status();
    },
  } satisfies Partial<Handlers>;
}
