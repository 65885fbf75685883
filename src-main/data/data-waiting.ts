import type { Params, Result } from '../contract/contract.ts';
import type { Log } from '../platform/log.ts';
import type { Secrets } from '../platform/secrets.ts';
import { dropMove } from './backup/move.ts';
import { dropPending, readPending } from './backup/pending.ts';
import { readPlace } from './backup/place.ts';
import type { DataDesk } from './data-desk.ts';
import type { RestoreDesk } from './restore/restore-desk.ts';
import { forgetQuietly } from './restore/restored-secrets.ts';

/** Returns the restore or move that runs at the next start; null if there is none. */
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

interface CancelDeps {
  readonly dataDir: string;
  readonly placeFile: string | undefined;
  readonly desk: Pick<DataDesk, 'busy' | 'cancel' | 'forget'>;
  readonly restore: Pick<RestoreDesk, 'discard'>;
  readonly secrets: Secrets;
  readonly log: Log;
}

/**
 * If `what` is `work`, cancels the running task. If `what` is `waiting`, discards the checked backup and any pending
 * restore or move. In both cases, windows no longer show the progress of a restore afterwards.
 */
export async function cancelData(
  { dataDir, placeFile, desk, restore, secrets, log }: CancelDeps,
  { what = desk.busy ? 'work' : 'waiting' }: Params<'data.cancel'>,
): Promise<void> {
  if (what === 'work') {
    await desk.cancel();
    desk.forget('restore');
    return;
  }
  await restore.discard();
  desk.forget('restore');
  // If no restore or move is pending, delete nothing, because a restore that is still being prepared uses the same
  // folder.
  if ((await waitingFor(dataDir, placeFile)) === null) return;
  await dropPending(dataDir);
  if (placeFile !== undefined) await dropMove(placeFile);
  await forgetQuietly(secrets, log);
}
