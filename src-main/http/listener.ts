import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { closed } from '../contract/shapes.ts';
import { oneAtATime } from '../platform/one-at-a-time.ts';
import { holderOfPort } from '../platform/port-holder.ts';

/** `server.json`: the port that the owner chose where the usual one was taken. */
export const ChosenPort = closed({ port: Type.Union([Type.Integer(), Type.Null()]) });

/** What the owner is told of the public side. */
export type ListenerState =
  { readonly kind: 'on' } | { readonly kind: 'off' } | { readonly kind: 'trouble'; readonly message: string };

export interface Listener {
  readonly state: ListenerState;
  /** The port; 0 before the first start where any free one is wanted. */
  readonly port: number;
  /** Never throws for a port that is taken: the state says so. */
  start(): Promise<void>;
  /** Ends what runs and starts on another port; 0: on a free one. Never throws for a port that is taken. */
  usePort(port: number): Promise<void>;
  /** No request is cut; those that take longer than `graceMs` are ended. */
  stop(): Promise<void>;
}

const graceMs = 4000;
const host = '127.0.0.1';

/** Turns the public app on and off, on loopback: the tunnel brings the world there. `build` makes a fresh app for each time. */
export function createListener(options: {
  port: number;
  build: () => Promise<FastifyInstance>;
  changed: () => void;
}): Listener {
  let app: FastifyInstance | null = null;
  let port = options.port;
  let state: ListenerState = { kind: 'off' };
  const inTurn = oneAtATime();

  function become(next: ListenerState): void {
    state = next;
    options.changed();
  }

  async function start(): Promise<void> {
    if (app) return;
    const fresh = await options.build();
    try {
      await fresh.listen({ host, port });
    } catch (error) {
      await fresh.close();
      become({ kind: 'trouble', message: listenFault(error, port, await holderOfPort(port)) });
      return;
    }
    port = portOf(fresh); // kept, so that the address stays when it is turned on again
    app = fresh;
    become({ kind: 'on' });
  }

  async function stop(): Promise<void> {
    const running = app;
    app = null;
    if (running) {
      const cut = setTimeout(() => running.server.closeAllConnections(), graceMs);
      await running.close();
      clearTimeout(cut);
    }
    if (state.kind !== 'off') become({ kind: 'off' });
  }

  return {
    get state() {
      return state;
    },
    get port() {
      return port;
    },
    start: () => inTurn(start),
    usePort: (wanted) =>
      inTurn(async () => {
        await stop();
        port = wanted;
        await start();
      }),
    stop: () => inTurn(stop),
  };
}

/** The port that an app listens on; 0 while it does not. */
export function portOf(app: FastifyInstance): number {
  const address = app.server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Why a port cannot be listened on, in words. `holder`: the program that has it. @throws what is no fault of the port. */
export function listenFault(error: unknown, port: number, holder?: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return `Port ${port} is taken by ${holder ?? 'another program'}. Close it, or let Porchlight use another port.`;
  if (code === 'EACCES') return `This system does not allow port ${port}. Let Porchlight use one above 1023.`;
  throw new PorchlightError('listen_failed', `Port ${port} cannot be listened on.`, 500, { cause: error });
}
