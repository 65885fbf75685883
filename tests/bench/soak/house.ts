import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { MethodName, Params, Result } from '../../../src-main/contract/contract.ts';
import { callOwner, launchDesktop } from '../../support/electron-app.ts';
import { startProbed } from '../../support/probed-process.ts';
import type { Inside } from './probe.ts';

/** The built server with its owner, in whichever of its two forms. */
export interface House {
  readonly base: string;
  readonly pid: number;
  call<M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Collects garbage first. */
  inside(): Promise<Inside>;
  /** A stream of events as the owner's page in a browser holds it; absent where the window has another way. */
  readonly events?: { readonly url: string; readonly key: string };
  /** Ends it as its user does; the exit code. */
  stop(): Promise<number | null>;
}

export interface HouseOptions {
  readonly dataDir: string;
  /** The public port; it stays over a restart, as addresses of what was made begin with it. */
  readonly port: number;
  readonly env: Record<string, string>;
}

/** Addresses are those of loopback, whatever the tunnel says: nobody is asked for a name that leads nowhere. */
function flagsOf(port: number): string[] {
  const address = ['--port', String(port), '--base-url', `http://127.0.0.1:${port}`];
  return ['--me', 'https://owner.example/', ...address, '--allow-private-fetch'];
}

export async function openHeadlessHouse({ dataDir, port, env }: HouseOptions): Promise<House> {
  const house = await startProbed({ dataDir, args: flagsOf(port), env });
  const { baseUrl: base, consoleUrl, ownerKey: key } = house.ready;
  return {
    base,
    pid: house.pid,
    call: (method, params) => house.call(method, params),
    inside: () => house.inside('look'),
    events: { url: `${consoleUrl}/api/events`, key },
    stop: () => house.stop(),
  };
}

export async function openDesktopHouse({ dataDir, port, env }: HouseOptions): Promise<House> {
  const args = ['--secrets', 'file', ...flagsOf(port)];
  const desktop = await launchDesktop({ dataDir, args, env });
  return {
    base: desktop.ready.baseUrl,
    pid: desktop.app.process().pid ?? 0,
    call: (method, params) => callOwner(desktop.page, method, params),
    inside: () => desktop.app.evaluate(probeInside),
    stop: () => desktop.stop(),
  };
}

/** Runs in Electron's main process, where nothing of this file is known. */
function probeInside(): Inside {
  const { getHeapCodeStatistics, setFlagsFromString } = process.getBuiltinModule('node:v8');
  const { runInNewContext } = process.getBuiltinModule('node:vm');
  const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks');
  const known = Reflect.get(globalThis, 'soakDelay') as ReturnType<typeof monitorEventLoopDelay> | undefined;
  const delay = known ?? monitorEventLoopDelay({ resolution: 10 });
  if (known === undefined) {
    Reflect.set(globalThis, 'soakDelay', delay);
    setFlagsFromString('--expose-gc');
    Reflect.set(globalThis, 'soakCollect', runInNewContext('gc'));
    delay.enable();
  }
  const [late, latest] = [delay.percentile(99) / 1e6, delay.max / 1e6];
  (Reflect.get(globalThis, 'soakCollect') as () => void)();
  const code = getHeapCodeStatistics();
  const compiled = code.code_and_metadata_size + code.bytecode_and_metadata_size;
  const heap = process.memoryUsage().heapUsed - compiled;
  delay.reset();
  return { heap, late, latest };
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
