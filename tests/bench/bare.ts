import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** The program that is the baseline. */
export const bareProgram = path.join(import.meta.dirname, 'bare-server.ts');

/** Starts it. `page`: the file that its page answers. */
export async function startBare(page?: string): Promise<{ url: string; stop(): void }> {
  const args = page === undefined ? [] : [page];
  const child = spawn(process.execPath, [bareProgram, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [address] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: address.toString().trim(), stop: () => void child.kill() };
}
