import { restoreLabel } from '../contract/restore-settings.ts';
import type { NewsItem } from './news.ts';
import { restoredKeys } from '../mailbox/keys.ts';
import { keepTrust } from './restoring.ts';
import { forgetRestored, takeRestored } from '../data/restore-desk.ts';
import type { Secrets } from '../platform/secrets.ts';
import { recordTables } from './tables.ts';
import { finishPending, type RestoreResult, takePending } from '../data/backup/pending.ts';
import { keepKnown, replaceRows } from '../storage/records/closed-records.ts';
import type { Recovery } from '../storage/recovery.ts';

/**
 * Replaces the data with a pending restore's data. Runs at startup, before anything is opened. `recovered`: receives an
 * entry for each settings file of this computer that was damaged.
 * @throws PorchlightError `restore_stuck`
 */
export function takeRestore(dataDir: string, recovered: Recovery[]): Promise<RestoreResult | undefined> {
  return takePending(dataDir, async (pending) => {
    await keepTrust(dataDir, pending, (recovery) => void recovered.push(recovery));
    const ownTables = recordTables.filter(({ belongsHere }) => belongsHere === true);
    await replaceRows(dataDir, pending.staged, ownTables);
    await keepKnown(dataDir, pending.staged);
  });
}

/**
 * Finishes a restore at startup. Puts the restored secrets into use, or discards them if the restore failed. Then
 * deletes the record of the pending restore.
 */
export async function finishRestore(dataDir: string, taken: RestoreResult, secrets: Secrets): Promise<void> {
  if (taken.outcome === 'lost') await forgetRestored(secrets);
  else await takeRestored(secrets, taken.pending.secrets, restoredKeys);
  await finishPending(dataDir);
}

const countOf = (count: number, noun: string) =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
const dayWords = (moment: string) =>
  new Date(moment).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });

/** Returns the message for the owner about a completed restore. */
export function restoredWords({ madeAt, counts, kept, accept }: RestoreResult['pending']): string {
  const what = counts
    ? `${countOf(counts.posts, 'post')}, ${countOf(counts.files, 'file')} and ${countOf(counts.mentions, 'mention')}`
    : 'the backup';
  return `Restored: ${what} from ${dayWords(madeAt)}.${acceptedWords(accept)} Your data from before is in “${kept}”.`;
}

const mostNamed = 5;

function acceptedWords(accept: readonly string[]): string {
  if (accept.length === 0) return '';
  if (accept.length > mostNamed) return ` You also took ${accept.length} settings from it.`;
  return ` You also took from it: ${accept.map(restoreLabel).join('; ')}.`;
}

/** Returns the news of a failed restore. Returns an empty list if no restore was pending, or if it succeeded. */
export function restoreNews(taken: RestoreResult | undefined): NewsItem[] {
  if (taken?.outcome !== 'lost') return [];
  const { madeAt, staged } = taken.pending;
  const message = `The backup from ${madeAt.slice(0, 10)} could not be restored, because “${staged}” is gone. Your data is unchanged. Restore the backup again.`;
  return [{ code: 'restore_lost', message, holds: false }];
}
