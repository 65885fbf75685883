import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { Check } from 'typebox/value';
import { nodeOperations } from '../storage/file-operations.ts';
import { processNow } from '../storage/process-identity.ts';
import type { Pause } from './cloudflared.ts';
import type { TunnelMetrics } from './tunnel-metrics.ts';

const Kept = Type.Object({
  pid: Type.Integer({ minimum: 2 }),
  /** When it was started, as the system tells; null where it does not. */
  started: Type.Union([Type.String(), Type.Null()]),
  /** Where its metrics are, and the id that it gave itself. */
  port: Type.Union([Type.Integer({ minimum: 1, maximum: 65_535 }), Type.Null()]),
  connector: Type.Union([Type.String(), Type.Null()]),
});
type Kept = Static<typeof Kept>;

/** Our own pid file: which cloudflared is ours, across a Porchlight that was killed. */
export interface CloudflaredRecord {
  /** Notes the one that was just started. */
  started(pid: number): Promise<void>;
  /** Notes how it can be told apart where the system does not tell when a process started. */
  known(proof: { port: number; connector: string }): Promise<void>;
  /** It has ended. */
  forget(): Promise<void>;
  /**
   * Ends the cloudflared that an earlier Porchlight left behind, where one still runs; whoever else has its number by
   * now is left alone. Resolves when it is gone.
   */
  endLeftover(): Promise<void>;
}

const looks = 30;
const lookMs = 100;

/** `folder`: the tunnel's own. */
export function createCloudflaredRecord({
  folder,
  metrics,
  pause,
}: {
  readonly folder: string;
  readonly metrics: Pick<TunnelMetrics, 'ask'>;
  readonly pause: Pause;
}): CloudflaredRecord {
  const file = join(folder, 'running.json');
  let kept: Kept | null = null;

  async function keep(next: Kept): Promise<void> {
    kept = next;
    await nodeOperations.makeFolder(folder);
    await nodeOperations.write(`${file}.tmp`, `${JSON.stringify(next)}\n`);
    await nodeOperations.rename(`${file}.tmp`, file);
  }

  async function isOurs({ pid, started, port, connector }: Kept): Promise<boolean> {
    if (started !== null) return (await processNow(pid)).started === started;
    if (port === null || connector === null) return false;
    // It still answers as itself, so its number is still its own.
    return (await metrics.ask(port))?.connector === connector;
  }

  async function end(leftover: Kept): Promise<void> {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (!(await isOurs(leftover)) || !send(leftover.pid, signal)) return;
      for (let look = 0; look < looks && (await isOurs(leftover)); look += 1) await pause(lookMs);
    }
  }

  return {
    async started(pid) {
      const { started } = await processNow(pid);
      await keep({ pid, started, port: null, connector: null });
    },
    async known(proof) {
      if (kept !== null) await keep({ ...kept, ...proof });
    },
    async forget() {
      kept = null;
      await rm(file, { force: true });
    },
    async endLeftover() {
      const leftover = await readKept(file);
      if (leftover !== null) await end(leftover);
      await rm(file, { force: true });
    },
  };
}

async function readKept(file: string): Promise<Kept | null> {
  try {
    const kept: unknown = JSON.parse(await readFile(file, 'utf8'));
    return Check(Kept, kept) ? kept : null;
  } catch {
    // None was written, or a crash cut it short: then nobody can be shown to be ours.
    return null;
  }
}

/** False where there is no such process, or it is not ours to end. */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
