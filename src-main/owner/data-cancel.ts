import type { Params } from '../contract/contract.ts';
import type { Log } from '../platform/log.ts';
import type { Secrets } from '../platform/secrets.ts';
import { dropMove } from '../storage/backup/move.ts';
import { dropPending } from '../storage/backup/pending.ts';
import type { DataDesk } from './data-desk.ts';
import { waitingFor } from './data-waiting.ts';
import { forgetRestored } from './restored-secrets.ts';

interface CancelDeps {
  readonly dataDir: string;
  readonly placeFile: string | undefined;
  readonly desk: Pick<DataDesk, 'busy' | 'cancel'>;
  readonly secrets: Secrets;
  readonly log: Log;
}

/**
 * Ends the work under way, or gives up what waits for the next start: what was meant, though the other has begun or
 * ended meanwhile.
 */
export async function cancelData(
  { dataDir, placeFile, desk, secrets, log }: CancelDeps,
  { what = desk.busy ? 'work' : 'waiting' }: Params<'data.cancel'>,
): Promise<void> {
  if (what === 'work') return desk.cancel();
  // A restore that is being got ready lies where one that waits does.
  if ((await waitingFor(dataDir, placeFile)) === null) return;
  await dropPending(dataDir);
  if (placeFile !== undefined) await dropMove(placeFile);
  await forgetQuietly(secrets, log);
}

/** Forgets the secrets of a restore that is given up. A keychain that is closed hides nothing else that went wrong. */
export async function forgetQuietly(secrets: Secrets, log: Log): Promise<void> {
  await forgetRestored(secrets).catch((error: unknown) =>
    log.warn({ err: error }, 'secrets of a restore that was given up are still kept'),
  );
}
