import type { Common } from '../http/common.ts';
import { stat } from 'node:fs/promises';
import type { Handlers } from '../contract/contract.ts';
import type { DataCounts } from '../contract/data.ts';
import type { Settings } from '../contract/settings.ts';
import { verified } from '../storage/held-folders.ts';
import { secretsInRows } from '../storage/records/closed-records.ts';
import type { RecordTable } from '../storage/records/record-table.ts';
import type { Records } from '../storage/records/records.ts';
import { makeBackup, type MadeBackup, mustLieOutside } from './backup/backup.ts';
import { type Sink, writeOut } from './backup/sink.ts';
import type { DataDesk } from './data-desk.ts';
import type { TakeAllDeps } from './export.ts';
import type { LastCopyNotes, NewCopy } from './last-copies.ts';
import { type BackupReader, readSecrets } from './restore-desk.ts';
import type { Transfers } from './transfers.ts';
import { whileNoted } from './unfinished-copy.ts';

/** Where a backup or an export goes. See BackupOptions. */
interface Target {
  readonly file: string;
  readonly isNew?: boolean | undefined;
  readonly mayLieInside?: boolean;
}

export interface CopiesDeps extends Pick<Common, 'dataDir' | 'version' | 'secrets' | 'activity'> {
  readonly now: () => number;
  readonly desk: DataDesk;
  readonly copies: Pick<LastCopyNotes, 'note'>;
  readonly transfers: Pick<Transfers, 'newFile' | 'offer' | 'remove'>;
  readonly settings: () => Settings;
  readonly records: Pick<Records, 'lines' | 'documentFolders' | 'rows'>;
  /** The tables of the database. */
  readonly tables: readonly RecordTable[];
  readonly reader: Pick<BackupReader, 'prove'>;
  readonly takeAll: TakeAllDeps;
}

/** Creates the handlers that make backups and exports. */
export function copiesHandlers(deps: CopiesDeps) {
  const { dataDir, now, desk, copies, transfers, secrets, settings, activity, reader } = deps;

  /**
   * Records a backup or an export before its task ends, because the windows load the records as soon as the task ends.
   */
  const note = (kind: 'backup' | 'export', copy: Omit<NewCopy, 'madeAt'>) =>
    copies.note(kind, { ...copy, madeAt: new Date(now()).toISOString() });

  /** Makes a backup. `made`: called before the task ends. */
  const backUp = (
    { passphrase, ...target }: Target & { readonly passphrase: string | undefined },
    made?: (backup: MadeBackup) => Promise<void>,
  ): Promise<MadeBackup> =>
    desk.run(
      'backup',
      async (work) => {
        const options = {
          dataDir,
          ...target,
          version: deps.version,
          me: settings().profile.me,
          now: now(),
          prove: reader.prove,
          work,
          records: deps.records,
          secrets:
            passphrase === undefined
              ? undefined
              : {
                  values: await readSecrets(secrets),
                  rows: await secretsInRows(deps.records, deps.tables),
                  passphrase,
                },
        };
        const backup = await whileNoted(dataDir, target.file, () => makeBackup(options));
        await made?.(backup);
        return backup;
      },
      ({ file }) =>
        target.mayLieInside
          ? 'The backup is ready. Porchlight has checked it.'
          : `The backup is in “${file}”. Porchlight has checked it.`,
    );

  /** Makes an export. `made`: called before the task ends. */
  const takeAway = (
    { file, mayLieInside = false }: Target,
    made?: (counts: DataCounts) => Promise<void>,
  ): Promise<{ counts: DataCounts; problems?: readonly string[] }> =>
    desk.run(
      'export',
      async (work) => {
        if (!mayLieInside) await mustLieOutside(dataDir, file);
        let counts: DataCounts = { posts: 0, files: 0, mentions: 0, bytes: 0 };
        const write = async (sink: Sink) => {
          const { takeAll } = await import('./export.ts');
          counts = await verified(dataDir, () => takeAll(deps.takeAll, sink, work));
        };
        await whileNoted(dataDir, file, () => writeOut(file, work.signal, write));
        await made?.(counts);
        return { counts };
      },
      () => (mayLieInside ? 'The export is ready.' : `The export is in “${file}”.`),
    );

  return {
    'data.backup': async ({ path, passphrase, isNew }) => {
      const { file, counts, problems } = await backUp({ file: path, passphrase, isNew }, async (made) =>
        note('backup', { path: made.file, counts: made.counts, secrets: passphrase !== undefined }),
      );
      await activity.record('data.backup', `You saved a backup: ${file}.`);
      return { path: file, counts, secrets: passphrase !== undefined, problems: [...problems] };
    },

    'data.download': async ({ what, passphrase }) => {
      const name = `porchlight-${what}-${new Date(now()).toISOString().slice(0, 10)}.zip`;
      const file = await transfers.newFile(name);
      try {
        const { counts, problems = [] } =
          what === 'backup'
            ? await backUp({ file, passphrase, mayLieInside: true })
            : await takeAway({ file, mayLieInside: true });
        const { size } = await stat(file);
        const id = transfers.offer(file, async () => {
          await note(what, { path: null, bytes: size, counts, secrets: passphrase !== undefined });
          // The windows load the note when they hear of this.
          await activity.record(
            `data.${what}`,
            `You downloaded ${what === 'backup' ? 'a backup' : 'an export'}.`,
          );
        });
        return { id, name, problems: [...problems] };
      } catch (error) {
        await transfers.remove(file);
        throw error;
      }
    },

    'data.export': async ({ path }) => {
      const { counts } = await takeAway({ file: path }, (made) =>
        note('export', { path, counts: made, secrets: false }),
      );
      await activity.record('data.export', `You exported everything to ${path}.`);
      return { path, counts };
    },
  } satisfies Partial<Handlers>;
}
