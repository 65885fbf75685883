import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import type { MethodName, Params, Reply, Result } from '../../src-main/contract/contract.ts';
import { resultOf } from '../../src-main/contract/reply.ts';
import { headlessEnvironment } from '../../scripts/launch.ts';

const root = path.join(import.meta.dirname, '../..');
/** Returns the built headless program of a checkout. */
export const headlessProgram = (checkout = root) => path.join(checkout, 'out/main/headless.js');

/** The line that --json prints. */
export interface Ready {
  readonly event: 'ready';
  readonly baseUrl: string;
  readonly port: number;
  readonly consoleUrl: string;
  readonly ownerKey: string;
  readonly managementToken: string;
}

/** The built headless program, running. */
export interface HeadlessProcess {
  readonly ready: Ready;
  readonly child: ChildProcess;
  readonly dataDir: string;
  /** Everything that it wrote to stderr so far. */
  log(): string;
  call<M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Sends a signal and resolves with the exit code, null where the signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Ends it and removes its folder. */
  remove(): Promise<void>;
}

/** Returns a port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

/** A start that gets in nobody's way: free ports, secrets in a file, one line of JSON. */
export function headlessArguments(dataDir: string): string[] {
  const ports = ['--port', '0', '--console-port', '0'];
  return ['--data', dataDir, ...ports, '--secrets', 'file', '--no-open', '--json'];
}

/** Runs the built program with a folder of its own and waits until it answers. */
export async function startHeadless(
  options: {
    dataDir?: string;
    args?: readonly string[];
    env?: Record<string, string>;
    /** Runs the demo, whose folder is made below the data folder. */
    demo?: boolean;
    /** A module that is loaded before it, may collect garbage, and is spoken with by messages. */
    probe?: string;
    /** The built program of another checkout. */
    program?: string;
    /** Called when the process has been created, long before it answers. */
    spawned?: (child: ChildProcess) => void;
  } = {},
): Promise<HeadlessProcess> {
  const { probe, program = headlessProgram() } = options;
  if (!existsSync(program)) throw new Error('out/main/headless.js is missing: run `npm run build` first.');
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(tmpdir(), 'porchlight-headless-')));
  const demo = options.demo === true;
  const usual = demo ? ['--demo', '--no-open', '--json'] : headlessArguments(dataDir);
  const args = [...usual, ...(options.args ?? [])];
  const before = probe === undefined ? [] : ['--expose-gc', '--import', pathToFileURL(probe).href];
  const child = spawn(process.execPath, [...before, program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', ...(probe === undefined ? [] : (['ipc'] as const))],
    // The program keeps compiled code in its own folder, as it does for users.
    env: {
      ...headlessEnvironment(),
      NODE_COMPILE_CACHE: undefined,
      ...(demo && { TMPDIR: dataDir }),
      ...options.env,
    },
  });
  options.spawned?.(child);
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const ready = await readyLine(child, () => log);

  async function call<M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>> {
    const response = await fetch(`${ready.consoleUrl}/api/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ready.ownerKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    return resultOf((await response.json()) as Reply);
  }

  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    }
    return child.exitCode;
  }

  return {
    ready,
    child,
    dataDir,
    log: () => log,
    call,
    stop,
    async remove() {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function readyLine(child: ChildProcess, log: () => string): Promise<Ready> {
  if (!child.stdout) throw new Error('no stdout');
  for await (const line of createInterface({ input: child.stdout })) {
    const value = JSON.parse(line) as Ready | { event: string };
    if ('ownerKey' in value) return value;
  }
  throw new Error(`Porchlight ended before it was ready:\n${log()}`);
}
