import type { BackupReader } from '../data/restore-desk.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { broken } from '../storage/manifest.ts';
import { goOn, type LongTask } from '../storage/pacing.ts';
import { kinds, overLimit } from '../untrusted/kinds.ts';
import { createPool, theOwner } from '../untrusted/pool.ts';
import { portOf } from '../untrusted/work-port.ts';
import type { BackupJobs } from './backup-jobs.ts';

/** Reads backups in a thread with a memory limit, so that no backup can stop the server or use up its memory. */
export function openBackupReading(clock: Clock, log: Pick<Log, 'warn'>) {
  const pool = createPool<BackupJobs>(kinds.backups, { clock });

  /** @throws PorchlightError `backup_broken` if the backup can't be read within the limits; the errors of the job */
  async function run<K extends keyof BackupJobs>(
    job: K,
    input: Omit<Parameters<BackupJobs[K]>[0], 'port'>,
    work: LongTask,
  ): Promise<Awaited<ReturnType<BackupJobs[K]>>> {
    goOn(work);
    const { port, close } = portOf(work);
    try {
      const whole = { ...input, port } as unknown as Parameters<BackupJobs[K]>[0];
      return await pool.run(job, whole, theOwner, 0, { transfer: [port] });
    } catch (error) {
      goOn(work);
      const why = overLimit(error);
      if (why === undefined) throw error;
      log.warn({ err: error, job }, 'A backup could not be read.');
      throw broken(`it ${why.slice(0, -1)}`);
    } finally {
      close();
    }
  }

  return {
    describe: (file, work) => run('describe', { file }, work),
    unpack: (file, dir, work) => run('unpack', { file, dir }, work),
    prove: (dir, signal) => run('prove', { dir, now: clock() }, { signal, progress: () => undefined }),
    compare: (compared, work) => run('compare', { ...compared, now: clock() }, work),
    close: () => pool.close(),
  } satisfies BackupReader & { close(): Promise<void> };
}
