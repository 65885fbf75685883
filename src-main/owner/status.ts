import type { Handlers } from '../contract/contract.ts';
import type { Profile } from '../contract/settings.ts';
import type { Problem, Status } from '../contract/status.ts';
import type { Listener } from '../http/listener.ts';
import type { WaitingRoom } from '../indieauth/waiting-room.ts';
import type { Activity } from './activity.ts';

interface StatusDeps {
  readonly listener: Listener;
  readonly base: () => string;
  readonly profile: () => Profile;
  readonly secrets: Status['secrets'];
  readonly waitingRoom: WaitingRoom;
  readonly version: string;
  readonly problems: () => readonly Problem[];
}

/** How the server is, for the window, the tray and the prompt. */
export function statusOf({
  listener,
  base,
  profile,
  secrets,
  waitingRoom,
  version,
  problems,
}: StatusDeps): Status {
  const { state, port } = listener;
  return {
    server: state.kind,
    words: wordsOf(state, base()),
    baseUrl: base(),
    port: state.kind === 'on' ? port : null,
    me: profile().me,
    secrets,
    waiting: waitingRoom.waiting().length,
    version,
    problems: [...problems()],
  };
}

function wordsOf(state: Listener['state'], base: string): string {
  if (state.kind === 'off') return 'Off';
  if (state.kind === 'trouble') return `Not reachable: ${state.message}`;
  return base.startsWith('https:')
    ? `On, reachable at ${base}`
    : `On, reachable on this computer only, at ${base}`;
}

type ServerHandlers = Pick<Handlers, 'status.get' | 'server.turnOn' | 'server.turnOff'>;

export function statusHandlers(deps: {
  listener: Listener;
  status: () => Status;
  activity: Activity;
}): ServerHandlers {
  const { listener, status, activity } = deps;
  return {
    'status.get': () => status(),
    'server.turnOn': async () => {
      const wasOn = listener.state.kind === 'on';
      await listener.start();
      if (!wasOn && status().server === 'on') await activity.tell('server.on', 'You turned the light on.');
      return status();
    },
    'server.turnOff': async () => {
      const wasOn = listener.state.kind === 'on';
      await listener.stop();
      if (wasOn) await activity.tell('server.off', 'You turned the light off.');
      return status();
    },
  };
}
