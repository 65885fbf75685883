import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { closed } from '../contract/shapes.ts';
import { oneAtATime } from '../storage/pacing.ts';
import { holderOfPort } from '../platform/port-holder.ts';

/** The content of `server.json`: the port that the owner chose because the default port was taken. */
const ChosenPort = closed({ port: Type.Union([Type.Integer(), Type.Null()]) });
export const portFormat = { schema: ChosenPort, kind: 'note' as const, format: 1, initial: { port: null } };

/** The state of the public server, as shown to the owner. */
export type ListenerState =
  | { readonly kind: 'on' }
  | { readonly kind: 'off' }
  | { readonly kind: 'trouble'; readonly message: string };

export type Listener = ReturnType<typeof createListener>;

/** How long requests in progress may take before they are cut off, in ms. Both programs have 5 s for their whole end. */
const graceMs = 2500;
const idleCheckMs = 50;
const host = '127.0.0.1';

/**
 * Creates the listener of the public app, which can be turned on and off. It listens on loopback, where the tunnel's
 * requests arrive. `build` creates a new app for each start. `buildOff` creates the app that responds while the server
 * is off. `usualPort` returns the port to try first if any free port is allowed; null if there is no such port.
 */
export function createListener(options: {
  port: number;
  build: () => Promise<FastifyInstance>;
  buildOff: () => Promise<FastifyInstance>;
  usualPort: () => number | null;
  changed: () => void;
}) {
  let app: FastifyInstance | null = null;
  let port = options.port;
  let state: ListenerState = { kind: 'off' };
  const inTurn = oneAtATime();

  function become(next: ListenerState): void {
    state = next;
    options.changed();
  }

  /**
   * Replaces the running app by one from `build`, on the same port or, if the port is 0, on the usual one or any other.
   * @throws the errors of `build`, with the old app still running, and of `listen`, after closing both apps
   */
  async function open(build: () => Promise<FastifyInstance>): Promise<void> {
    const usual = port === 0 ? options.usualPort() : null;
    const fresh =
      usual === null
        ? await listening(build, port)
        : await listening(build, usual).catch(() => listening(build, port));
    port = listeningPort(fresh); // the server uses the same port when it is turned on again
    app = fresh;
  }

  /** Closes the running app and returns a new one that listens on `wanted`. @throws as `open` does */
  async function listening(
    build: () => Promise<FastifyInstance>,
    requestedPort: number,
  ): Promise<FastifyInstance> {
    const fresh = await build();
    try {
      await fresh.ready();
      // The old app is closed only now, so that the port refuses visitors for a moment only.
      await close();
      await fresh.listen({ host, port: requestedPort });
    } catch (error) {
      await fresh.close();
      throw error;
    }
    return fresh;
  }

  async function close(): Promise<void> {
    const running = app;
    app = null;
    if (!running) return;
    const cut = setTimeout(() => running.server.closeAllConnections(), graceMs);
    // A connection that becomes idle only after the app has started to close must be closed too. Otherwise, it keeps
    // the port in use until `graceMs` have passed.
    const idle = setInterval(() => running.server.closeIdleConnections(), idleCheckMs);
    await running.close();
    clearInterval(idle);
    clearTimeout(cut);
  }

  async function start(): Promise<void> {
    if (state.kind === 'on') return;
    try {
      await open(options.build);
    } catch (error) {
      become({ kind: 'trouble', message: listenFault(error, port, await holderOfPort(port)) });
      return;
    }
    become({ kind: 'on' });
  }

  async function stop(): Promise<void> {
    await close();
    if (state.kind !== 'off') become({ kind: 'off' });
  }

  async function turnOff(): Promise<void> {
    if (state.kind === 'off') return;
    // Ignore an error, but close the public app. If another program has taken the port, it responds to visitors instead.
    await open(options.buildOff).catch(close);
    become({ kind: 'off' });
  }

  return {
    get state(): ListenerState {
      return state;
    },
    /** The public app; undefined while the server is off. */
    get app(): FastifyInstance | undefined {
      return state.kind === 'on' ? (app ?? undefined) : undefined;
    },
    /** The port of the server. Before the first start, it can be 0, which means any free port. */
    get port(): number {
      return port;
    },
    /** Opens the port. If the port is taken, the promise still resolves, and `state` reports the problem. */
    start: (): Promise<void> => inTurn(start),
    /**
     * Restarts the server on another port (0: any free port). If that port is taken, the promise still resolves, and
     * `state` reports the problem.
     */
    usePort: (requestedPort: number): Promise<void> =>
      inTurn(async () => {
        await stop();
        port = requestedPort;
        await start();
      }),
    /**
     * Closes the public app. From then on, every response on the same port says that the server is off. Resolves once all
     * requests that could change data have ended or, after `graceMs`, have been cut off.
     */
    turnOff: (): Promise<void> => inTurn(turnOff),
    /** Closes the port. Requests in progress have `graceMs` to finish before they are cut off. */
    stop: (): Promise<void> => inTurn(stop),
  };
}

/** Returns the port that an app listens on, or 0 if it is not listening. */
export function listeningPort(app: FastifyInstance): number {
  const address = app.server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/**
 * Returns the message for the owner if a port is taken or the system does not allow it. `holder`: the program that uses
 * the port.
 * @throws PorchlightError listen_failed if the port can't be opened for any other reason
 */
export function listenFault(error: unknown, port: number, holder?: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return `Port ${port} is taken by ${holder ?? 'another program'}. Close it, or let Porchlight use another port.`;
  if (code === 'EACCES') return `This system does not allow port ${port}. Let Porchlight use one above 1023.`;
  throw new PorchlightError('listen_failed', `Port ${port} cannot be listened on.`, 500, { cause: error });
}
