import { processNow, type ProcessIdentity } from '../../src-main/storage/process-identity.ts';

/** Returns whether a process is still running. Without start times, another process with its number counts as it. */
export async function isRunning({ pid, started }: ProcessIdentity): Promise<boolean> {
  const now = await processNow(pid);
  if (now.started === 'ended') return false;
  if (started !== null) return now.started === started;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
