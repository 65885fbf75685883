import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

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
