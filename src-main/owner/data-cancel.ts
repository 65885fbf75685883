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
 * Ends the work under way, or discards what waits: a backup that was checked, a restore or a move. Does only what was
 * meant, though the other has begun or ended meanwhile. Nothing about a restore stays on the screen.
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
  // A restore that is being got ready lies where one that waits does.
  if ((await waitingFor(dataDir, placeFile)) === null) return;
  await dropPending(dataDir);
  if (placeFile !== undefined) await dropMove(placeFile);
  await forgetQuietly(secrets, log);
}
