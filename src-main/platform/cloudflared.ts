import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { bin as packageBinary } from 'cloudflared';
import { cloudflaredName } from './cloudflared-release.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** The settings of the tunnel to run. */
export interface TunnelRequest {
  readonly mode: 'quick' | 'named';
  /** The loopback port of Porchlight's public server. */
  readonly port: number;
  /** The tunnel's token, for a named tunnel. */
  readonly token?: string | undefined;
  /** The reason why the stored token can't be read, as a message. Present only if reading the token failed. */
  readonly tokenProblem?: string | undefined;
  /** The public host name of a named tunnel, as set in the Cloudflare dashboard. */
  readonly hostname?: string | undefined;
}

/** The result of one run of cloudflared. */
export interface Exit {
  /** The error if cloudflared could not be started. */
  readonly error?: Error;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Waits for some milliseconds. Resolves early when the signal aborts, and never rejects. */
export type Pause = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

/** How long cloudflared may take to exit after SIGTERM, in ms. */
const patience = 3_000;
/** How long to wait for the last lines of output after cloudflared has ended, in ms. */
const lastLinesMs = 500;

/** The paths where Porchlight looks for cloudflared. */
export interface CloudflaredPlaces {
  /** The path that the owner configured. If it is set, no other path is used. */
  readonly asked?: string | undefined;
  /** The app's resources folder. The packaged app has cloudflared in its subfolder `cloudflared`. */
  readonly resources?: string | undefined;
  readonly downloaded: string;
}

/**
 * Finds the cloudflared program: the one that the owner configured; otherwise the bundled one, the downloaded one, the
 * one in the npm package, or the first one on the PATH. Returns undefined if there is none.
 */
export function findCloudflared(env: Env, places: CloudflaredPlaces): string | undefined {
  const { asked = env['PORCHLIGHT_CLOUDFLARED'] ?? '', resources, downloaded } = places;
  if (asked !== '') return isProgram(asked) ? asked : undefined;
  const name = cloudflaredName(process.platform);
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const bundled = resources === undefined ? [] : [join(resources, 'cloudflared', name)];
  const onPath = folders.map((folder) => join(folder, name));
  return [...bundled, downloaded, packageBinary, ...onPath].find(isProgram);
}

/**
 * Returns the command-line arguments for cloudflared. `config` is the path of an empty file, which replaces the owner's
 * ~/.cloudflared/config.yml. Doesn't use --pidfile, because cloudflared would write that file only after it has
 * connected. Porchlight records the pid itself, right after the start.
 */
export function cloudflaredArguments({ mode, port }: TunnelRequest, config: string): string[] {
  const common = ['tunnel', '--config', config, '--no-autoupdate', '--grace-period', '2s'];
  // With port 0, cloudflared picks a free port and logs its number.
  common.push('--metrics', '127.0.0.1:0');
  const target = ['--url', `http://127.0.0.1:${port}`];
  return mode === 'quick' ? [...common, ...target] : [...common, 'run', ...target];
}

/**
 * Returns the environment for cloudflared. The token is in the environment, not in the arguments, because all users of
 * the computer can read command-line arguments.
 */
export function cloudflaredEnvironment({ mode, token }: TunnelRequest, env: Env): Env {
  // Each cloudflared flag can also be set by a TUNNEL_ variable. Such variables in the owner's environment are not
  // meant for this tunnel.
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('TUNNEL_'));
  return { ...Object.fromEntries(kept), ...(mode === 'named' ? { TUNNEL_TOKEN: token } : {}) };
}

/**
 * Runs cloudflared until it ends or until `signal` aborts. On abort, sends SIGTERM, then SIGKILL after 3 s. Kills
 * cloudflared when this process exits. Doesn't use the npm package's Tunnel class, because that class takes no
 * environment and doesn't split the output into lines.
 */
export function runCloudflared(options: {
  readonly binary: string;
  readonly args: readonly string[];
  readonly env: Env;
  readonly signal: AbortSignal;
  readonly pause: Pause;
  readonly onLine: (line: string) => void;
}) {
  const { binary, args, env, signal, pause, onLine } = options;
  const child = spawn(binary, args, { env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
  const over = new AbortController();
  const kill = () => void child.kill('SIGKILL');
  const end = () => {
    child.kill('SIGTERM');
    void pause(patience, over.signal).then(() => over.signal.aborted || kill());
  };
  process.once('exit', kill);
  signal.addEventListener('abort', end, { once: true });
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', onLine);

  const ended = new Promise<Exit>((resolve) => {
    child.once('error', (error) => resolve({ error, code: null, signal: null }));
    child.once('close', (code, by) => resolve({ code, signal: by }));
    // If `binary` is a script that started the real cloudflared, that process may keep the pipes open.
    child.once('exit', (code, by) => {
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        resolve({ code, signal: by });
      }, lastLinesMs).unref();
    });
  }).finally(() => {
    over.abort();
    process.off('exit', kill);
    signal.removeEventListener('abort', end);
  });
  const started = new Promise<void>((resolve) => {
    child.once('spawn', resolve);
    child.once('error', () => resolve());
  });
  return { pid: child.pid, started, ended };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
