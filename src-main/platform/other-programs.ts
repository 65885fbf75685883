import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import type { Funnel, Tailscale } from '../contract/reach.ts';
import { jsonIn } from '../storage/json-value.ts';
import { isValid } from '../storage/schema-check.ts';
import { errorCode } from '../storage/storage-error.ts';
import { plainLine } from './plain-line.ts';

const run = promisify(execFile);
/** The time limit for Hugo, in ms. */
const timeout = 5000;

/**
 * Returns the major and minor version of Hugo on this computer; undefined if Hugo isn't installed. `env`: the
 * environment variables, whose PATH is searched for Hugo.
 */
export async function installedHugo(
  env: NodeJS.ProcessEnv = process.env,
): Promise<readonly [major: number, minor: number] | undefined> {
  try {
    const { stdout } = await run('hugo', ['version'], { env, timeout, windowsHide: true });
    const [, major, minor] = /\bv(\d+)\.(\d+)/.exec(stdout) ?? [];
    return major === undefined ? undefined : [Number(major), Number(minor)];
  } catch {
    return undefined;
  }
}

/** Unpacks a file from an archive (.tgz) into a folder, on macOS, which always has tar at this path. */
export async function unpackTar(archive: string, folder: string, file: string): Promise<void> {
  await run('/usr/bin/tar', ['-xzf', archive, '-C', folder, file]);
}

/**
 * The arguments of the `tailscale` command. They omit the peers, because a tailnet with many computers has a long
 * status. The command may take at most 3 s and print at most 1 MiB.
 */
const status = ['status', '--json', '--peers=false'];
const tailscaleLimits = { timeout: 3000, maxBuffer: 1024 * 1024, windowsHide: true } as const;

/** The part of `tailscale status --json` that Porchlight reads. Other properties are ignored. */
const Status = Type.Object({
  BackendState: Type.String(),
  Self: Type.Optional(Type.Union([Type.Object({ DNSName: Type.String() }), Type.Null()])),
});

/**
 * Matches names under ts.net, the only domain with Funnel's public addresses. In the status, the name ends with a dot.
 */
const funnelName = /^((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){2,}ts\.net)\.?$/;

/**
 * Returns whether Tailscale runs on this computer, and the computer's public name with Tailscale Funnel. Never rejects.
 */
export async function readTailscale(platform = process.platform): Promise<Tailscale> {
  for (const program of programsOn(platform)) {
    try {
      const { stdout } = await run(program, status, tailscaleLimits);
      return tailscaleIn(stdout);
    } catch (error) {
      // Tailscale is installed, but the command failed: the service is stopped or too slow.
      if (errorCode(error) !== 'ENOENT') return { state: 'stopped', name: null };
    }
  }
  return { state: 'missing', name: null };
}

/** Matches Tailscale's page on which the owner allows Funnel. The command prints its address, and waits. */
const consentPage = /https:\/\/login\.tailscale\.com\/[\x21-\x7E]{1,500}/;
/** The time limit of the command that starts Funnel, in ms. It gets a certificate for the address first. */
const funnelMs = 30_000;

/**
 * Publishes a port of this computer with Tailscale Funnel, also after a restart of the computer. Returns the public
 * address, or Tailscale's page on which the owner must allow Funnel first.
 * @throws funnel_failed with the command's own words, for example if only an administrator may start Funnel
 */
export async function startFunnel(port: number, platform = process.platform): Promise<Funnel> {
  const { state, name } = await readTailscale(platform);
  if (state !== 'running' || name === null)
    throw new PorchlightError(
      'funnel_failed',
      'Tailscale isn’t connected, or this computer has no name there.',
    );
  for (const program of programsOn(platform)) {
    const { code, page, words } = await funnelRun(program, port);
    if (code === 'ENOENT') continue;
    if (page !== undefined) return { state: 'consent', url: page };
    if (code === undefined) return { state: 'started', url: `https://${name}` };
    throw new PorchlightError('funnel_failed', words === '' ? 'Tailscale gave no reason.' : words);
  }
  throw new PorchlightError('funnel_failed', 'Porchlight didn’t find Tailscale on this computer.');
}

interface FunnelRun {
  /** Why the command failed; undefined if it succeeded. */
  readonly code: string | undefined;
  readonly page: string | undefined;
  /** The command's last message, as one line. */
  readonly words: string;
}

/** Runs the command that starts Funnel, and ends it if it waits for the owner's permission. */
function funnelRun(program: string, port: number): Promise<FunnelRun> {
  const command = ['funnel', '--bg', String(port)];
  return new Promise((resolve) => {
    let printed = '';
    const child = execFile(
      program,
      command,
      { ...tailscaleLimits, timeout: funnelMs },
      (error, _stdout, stderr) => {
        const code = error === null ? undefined : (errorCode(error) ?? 'failed');
        const words = plainLine(stderr.trim()).slice(0, 500);
        resolve({ code, words, page: consentPage.exec(printed)?.[0] });
      },
    );
    child.stdin?.end();
    child.stdout?.on('data', (text: string) => {
      printed = `${printed}${text}`.slice(-4000);
      if (/\s$/.test(printed) && consentPage.test(printed)) child.kill();
    });
  });
}

/** Parses the output of `tailscale status --json`. */
export function tailscaleIn(text: string): Tailscale {
  const found = jsonIn(text);
  if (!isValid(Status, found) || found.BackendState !== 'Running') return { state: 'stopped', name: null };
  const name = funnelName.exec(found.Self?.DNSName.toLowerCase() ?? '')?.[1] ?? null;
  return { state: 'running', name: name !== null && name.length <= 253 ? name : null };
}

/** Returns the commands and paths to try. Apps started from the desktop don't always have `tailscale` on their PATH. */
function programsOn(platform: NodeJS.Platform): string[] {
  if (platform === 'darwin') return ['tailscale', '/Applications/Tailscale.app/Contents/MacOS/Tailscale'];
  if (platform !== 'win32') return ['tailscale'];
  // Use the full path, because Windows also looks for a bare name in the current folder.
  return [path.win32.join(process.env['ProgramFiles'] ?? 'C:\\Program Files', 'Tailscale', 'tailscale.exe')];
}
