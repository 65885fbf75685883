import type { Params } from '../contract/contract.ts';
import type { Log } from '../platform/log.ts';
import type { Secrets } from '../platform/secrets.ts';
import { dropMove } from '../storage/backup/move.ts';
import { dropPending } from '../storage/backup/pending.ts';
import type { DataDesk } from './data-desk.ts';
import { waitingFor } from './data-waiting.ts';
import type { RestoreDesk } from './restore/restore-desk.ts';
import { forgetQuietly } from './restore/restored-secrets.ts';

interface CancelDeps {
  readonly dataDir: string;
  readonly placeFile: string | undefined;
  readonly desk: Pick<DataDesk, 'busy' | 'cancel' | 'forget'>;
  readonly restore: Pick<RestoreDesk, 'discard'>;
  readonly secrets: Secrets;
  readonly log: Log;
}

/**
 * Cancels the running task, or discards what is pending: a checked backup, a restore or a move. Affects only the one
 * that `what` names, even if the other has started or ended in the meantime. Afterwards no window shows a restore's
 * progress.
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
  // A restore in preparation uses the same folder as a pending one, so nothing may be dropped unless a task is pending.
  if ((await waitingFor(dataDir, placeFile)) === null) return;
  await dropPending(dataDir);
  if (placeFile !== undefined) await dropMove(placeFile);
  await forgetQuietly(secrets, log);
}
