import type { CheckedBackup, RestoreChange } from '../../contract/data.ts';
import { PorchlightError } from '../../contract/error.ts';
import type { Settings } from '../../contract/settings.ts';
import type { Log } from '../../platform/log.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Prove } from '../backup/backup.ts';
import type { RecordTable } from '../../storage/records/record-table.ts';
import { restoreRowSecrets } from '../../storage/records/row-secrets.ts';
import { armRestore, dropUnpacked, prepareRestore, type ReadyRestore } from '../backup/restore.ts';
import { goOn, type Work } from '../../storage/paced-work.ts';
import { forgetQuietly, keepForLater, secretChanges } from './restored-secrets.ts';

/** What a restore asks the other parts of the program. */
export interface RestoreQuestions {
  /**
   * Returns the settings and choices that a restore of the unpacked backup `there` would change. Calls `look` between
   * its steps, which throws to stop it.
   */
  readonly restoreChanges: (
    there: string,
    options: { dataDir: string; settings: Settings; look: () => void },
  ) => Promise<RestoreChange[]>;
  /** Returns the names of the apps that are signed in according to a data folder. `now`: ms since the epoch. */
  readonly appsSignedIn: (dir: string, now: number) => Promise<string[]>;
}

interface RestoreDeskDeps extends RestoreQuestions {
  readonly dataDir: string;
  /** Returns the time in ms since the epoch. */
  readonly now: () => number;
  readonly log: Log;
  readonly secrets: Secrets;
  readonly settings: () => Settings;
  readonly prove: Prove;
  /** The tables of the database. */
  readonly tables: readonly RecordTable[];
}

export type RestoreDesk = ReturnType<typeof createRestoreDesk>;

const signedInApps = 'apps.signedIn';

/**
 * Creates the store that keeps the last checked backup until the owner restores or discards the backup. The backup's
 * secrets are kept only in memory.
 */
export function createRestoreDesk(deps: RestoreDeskDeps) {
  const { dataDir, now, log, secrets, settings, prove, restoreChanges, appsSignedIn } = deps;
  let found: { readonly ready: ReadyRestore; readonly checked: CheckedBackup } | undefined;
  // The latest call of `arm`. `discard` waits for this call to finish. Otherwise, `discard` could delete the data of a
  // restore that `arm` is scheduling.
  let arming: Promise<unknown> = Promise.resolve();

  async function changesOf(ready: ReadyRestore, work: Work): Promise<RestoreChange[]> {
    const look = () => goOn(work);
    const changes = await restoreChanges(ready.staged, { dataDir, settings: settings(), look });
    if (ready.secrets === undefined) return changes;
    const fromSecrets = await secretChanges(secrets, ready.secrets.values);
    changes.push(...fromSecrets.changes);
    // If the backup comes from this computer, apps that were signed out after the backup was made have to stay signed
    // out.
    if (!fromSecrets.isForeign) return changes;
    const [here, there] = [await appsSignedIn(dataDir, now()), await appsSignedIn(ready.staged, now())];
    if (here.length + there.length > 0) changes.push({ setting: signedInApps, here, there });
    return changes;
  }

  async function put(
    { ready, checked }: NonNullable<typeof found>,
    accept: readonly string[],
  ): Promise<void> {
    const listed = new Set(checked.changes.map(({ setting }) => setting));
    const unknown = accept.find((setting) => !listed.has(setting));
    if (unknown !== undefined)
      throw new PorchlightError(
        'invalid_request',
        `“${unknown}” is not a change that this restore would make.`,
      );
    try {
      const names = await keepForLater(secrets, ready.secrets?.values ?? {}, new Set(accept));
      await armRestore(dataDir, ready, {
        ...{ accept, secrets: names, now: now() },
        access: accept.includes(signedInApps) ? 'backup' : 'here',
      });
    } catch (error) {
      await forgetQuietly(secrets, log);
      throw error;
    }
    found = undefined;
  }

  /** Forgets the checked backup and deletes its unpacked files. */
  async function discard(): Promise<void> {
    await arming.catch(() => undefined);
    if (found === undefined) return;
    found = undefined;
    await dropUnpacked(dataDir);
  }

  return {
    get checked(): CheckedBackup | null {
      return found?.checked ?? null;
    },

    /**
     * Checks a backup, unpacks it and compares it with this computer's data. Restores nothing.
     * @throws the same errors as `prepareRestore`.
     */
    async check(file: string, passphrase: string | undefined, work: Work): Promise<CheckedBackup> {
      await discard();
      const ready = await prepareRestore({ dataDir, file, passphrase, prove, work });
      try {
        const { manifest, proof } = ready;
        const left = await restoreRowSecrets(ready.staged, deps.tables, ready.secrets?.rows ?? {});
        const checked: CheckedBackup = {
          me: manifest.me,
          madeAt: manifest.madeAt,
          counts: { ...proof.counts, bytes: manifest.bytes },
          secrets: ready.secrets !== undefined,
          problems: [...proof.problems, ...leftOut(left)],
          changes: await changesOf(ready, work),
        };
        goOn(work);
        found = { ready, checked };
        return checked;
      } catch (error) {
        await dropUnpacked(dataDir);
        throw error;
      }
    },

    /**
     * Schedules the checked backup to be restored at the next start, with the changes that `accept` names.
     * @throws PorchlightError `nothing_checked` (409), `invalid_request` for a change that was not listed.
     */
    async arm(accept: readonly string[]): Promise<void> {
      if (found === undefined)
        throw new PorchlightError('nothing_checked', 'No backup is ready to restore. Check one first.', 409);
      arming = put(found, accept);
      await arming;
    },

    discard,
  };
}

/** Returns the problem with subscriptions whose secrets are missing. */
const leftOut = (count: number): string[] =>
  count === 0
    ? []
    : [
        `${count === 1 ? 'One subscription to your feeds is' : `${count} subscriptions to your feeds are`} left out, because a backup has their secrets only in its encrypted part. These readers have to subscribe again.`,
      ];
