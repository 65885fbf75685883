import type { Result } from '../contract/contract.ts';
import { readPending } from '../storage/backup/pending.ts';
import { readPlace } from '../storage/backup/place.ts';

/** Returns the task that runs at the next start; null if there is none. */
export async function waitingFor(
  dataDir: string,
  placeFile: string | undefined,
): Promise<Result<'data.folder'>['waiting']> {
  const pending = await readPending(dataDir);
  if (pending) {
    const whose = pending.me === null ? '' : ` of ${pending.me}`;
    const words = `The backup${whose} from ${pending.madeAt.slice(0, 10)} replaces your data when Porchlight restarts.`;
    return { task: 'restore', me: pending.me, madeAt: pending.madeAt, folder: null, words };
  }
  const moving = placeFile === undefined ? null : (await readPlace(placeFile)).moving;
  if (moving === null) return null;
  const words = `Your data moves to “${moving.to}” when Porchlight restarts.`;
  return { task: 'move', me: null, madeAt: null, folder: moving.to, words };
}
