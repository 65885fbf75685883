import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** The time limit for Hugo, in ms. */
const timeout = 5000;

/**
 * Returns the version of Hugo that is installed on this computer, as its two numbers; undefined if there is none. `env`:
 * the environment in which Hugo is found.
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
