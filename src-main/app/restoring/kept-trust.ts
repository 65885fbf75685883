import { join } from 'node:path';
import type { RestoreChange } from '../../contract/data.ts';
import { PorchlightError } from '../../contract/error.ts';
import type { Settings } from '../../contract/settings.ts';
import { keepGrants, keepRevoked } from '../../sign-in/restored-grants.ts';
import type { Pending } from '../../data/backup/pending.ts';
import { documentsIn } from '../../storage/data-documents.ts';
import type { Recovery } from '../../storage/recovery.ts';
import { replaceByCopy } from '../../storage/unopened.ts';
import { checkSettings, openSettings, writeSettings } from '../settings.ts';
import { carriedState } from './carried-state.ts';
import { mergedSettings, settingChanges, usableHere } from './setting-changes.ts';

/**
 * Returns the changes that restoring a backup would make to trust, reachability and privacy on this computer. `there`:
 * the path of the unpacked backup.
 * @throws PorchlightError `backup_broken` if the backup has settings that Porchlight would not have accepted
 */
export async function restoreChanges(
  there: string,
  { dataDir, settings, look }: { dataDir: string; settings: Settings; look: () => void },
): Promise<RestoreChange[]> {
  const changes = settingChanges(settings, await settingsOf(there));
  for (const [setting, state] of Object.entries(carriedState)) {
    look();
    const values = await state.compare(dataDir, there);
    if (values) changes.push({ setting, ...values });
  }
  return changes;
}

/**
 * Copies this computer's choices about trust, reachability and privacy into the unpacked backup at `staged`, except
 * where the owner accepted a change. Copies the current choices, which may have changed since the backup was checked.
 * Called while no file is open, before the backup's data replaces this computer's data. Idempotent, so it can run again
 * if the process is killed halfway.
 */
export async function keepTrust(
  dataDir: string,
  { staged, accept, access }: Pick<Pending, 'staged' | 'accept' | 'access'>,
  onRecovered: (recovery: Recovery) => void,
): Promise<void> {
  const accepted = new Set(accept);
  const here = await openSettings({ documents: documentsIn(dataDir, onRecovered), allowLoopbackMe: true });
  await writeSettings(staged, mergedSettings(here.get(), await settingsOf(staged), accepted));
  for (const [setting, state] of Object.entries(carriedState))
    if (!accepted.has(setting)) await state.keep(dataDir, staged);
  await (access === 'backup' ? keepRevoked : keepGrants)(dataDir, staged);
  // Keep this computer's self-test, because the findings in the backup may come from another computer.
  await replaceByCopy(join(staged, 'self-test.json'), join(dataDir, 'self-test.json'));
}

async function settingsOf(dir: string): Promise<Settings> {
  const settings = (await openSettings({ documents: documentsIn(dir), allowLoopbackMe: true })).get();
  try {
    checkSettings(settings);
  } catch (cause) {
    if (!(cause instanceof PorchlightError)) throw cause;
    throw new PorchlightError(
      'backup_broken',
      `The settings in this backup are not valid: ${cause.message} Nothing was changed.`,
      400,
      { cause },
    );
  }
  return usableHere(settings);
}
