import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { nodeOperations } from '../../storage/file-operations.ts';
import { jsonIn } from '../../storage/json-value.ts';
import { processNow } from '../../storage/process-identity.ts';
import { isValid } from '../../storage/schema-check.ts';
import type { Pause } from '../../platform/run-program.ts';
import type { TunnelMetrics } from './state.ts';

const Kept = Type.Object({
  pid: Type.Integer({ minimum: 2 }),
  /** The start time of the process, as the system reports it; null if the system reports no start times. */
  started: Type.Union([Type.String(), Type.Null()]),
  /** The port of cloudflared's metrics server, and the connector id that cloudflared generated for itself. */
  port: Type.Union([Type.Integer({ minimum: 1, maximum: 65_535 }), Type.Null()]),
  connector: Type.Union([Type.String(), Type.Null()]),
});
type Kept = Static<typeof Kept>;

export type CloudflaredRecord = ReturnType<typeof createCloudflaredRecord>;

const mostChecks = 30;
const checkMs = 100;

/**
 * Creates a record of the running cloudflared process. The record is a file in `folder`, the folder for the tunnel's
 * files. If Porchlight is killed while cloudflared keeps running, Porchlight uses the record to recognize cloudflared
 * at its next start.
 */
export function createCloudflaredRecord({
  folder,
  metrics,
  pause,
}: {
  readonly folder: string;
  readonly metrics: Pick<TunnelMetrics, 'ask'>;
  readonly pause: Pause;
}) {
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
    // If the process on this port still reports the recorded connector id, the recorded pid still belongs to
    // Porchlight's cloudflared.
    return (await metrics.ask(port))?.connector === connector;
  }

  async function end(leftover: Kept): Promise<void> {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (!(await isOurs(leftover)) || !send(leftover.pid, signal)) return;
      for (let check = 0; check < mostChecks && (await isOurs(leftover)); check += 1) await pause(checkMs);
    }
  }

  return {
    /** Records a newly started process. */
    async started(pid: number): Promise<void> {
      const { started } = await processNow(pid);
      await keep({ pid, started, port: null, connector: null });
    },
    /**
     * Records the metrics port and connector id, which identify the process on a system that reports no start times.
     */
    async known(proof: { port: number; connector: string }): Promise<void> {
      if (kept !== null) await keep({ ...kept, ...proof });
    },
    /** Removes the record, because the process has ended. */
    async forget(): Promise<void> {
      kept = null;
      await rm(file, { force: true });
    },
    /**
     * Ends the cloudflared process, if any, that kept running after Porchlight was killed. Resolves when that process
     * has ended. If the recorded pid now belongs to a different process, leaves that process alone.
     */
    async endLeftover(): Promise<void> {
      const leftover = await readKept(file);
      if (leftover !== null) await end(leftover);
      await rm(file, { force: true });
    },
  };
}

async function readKept(file: string): Promise<Kept | null> {
  // Without a usable record, nothing proves that a process is Porchlight's cloudflared.
  const kept = jsonIn(await readFile(file, 'utf8').catch(() => ''));
  return isValid(Kept, kept) ? kept : null;
}

/**
 * Sends a signal to a process. Returns false if the process doesn't exist, or if Porchlight isn't permitted to signal
 * it.
 */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
