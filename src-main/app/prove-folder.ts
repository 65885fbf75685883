import path from 'node:path';
import { checkFolder } from './check.ts';
import { recordTables } from './record-tables.ts';
import { createMediaStore } from '../media/media-on-disk.ts';
import { openSettings } from './settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Pictures } from '../untrusted/pictures/pictures.ts';
import type { Proof } from '../data/backup/backup.ts';
import { goOn } from '../storage/paced-work.ts';
import { documentsIn } from '../storage/data-documents.ts';
import { openRecords } from '../storage/records/records.ts';
import { buildRecords } from '../storage/records/record-lines.ts';
import { createVersions } from '../storage/versions.ts';

interface ProvingDeps {
  readonly pictures: Pick<Pictures, 'measure' | 'thumbnail' | 'jpeg'>;
  readonly now: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Checks a data folder. Opens all its data as the server does at startup, which rebuilds the indexes, and then runs the
 * checks in check.ts. Tests `signal` between the steps, because quitting waits for this function.
 * @throws PorchlightError if a document is unusable or has a newer format, with the same errors as at startup;
 * `cancelled` if `signal` aborts
 */
export async function proveFolder(dir: string, { pictures, now, log, signal }: ProvingDeps): Promise<Proof> {
  const left = await buildRecords(dir, recordTables, signal);
  // Because there is no onRecovered callback, opening a damaged file throws instead of recovering the file.
  const documents = documentsIn(dir);
  await openSettings({ documents, allowLoopbackMe: false });

  const look = () => goOn({ signal });
  const inDir = (name: string) => path.join(dir, name);
  const records = await openRecords({ dir, tables: recordTables, log });
  try {
    const media = createMediaStore({
      ...{ dir: inDir('media'), records, versions: createVersions(), limitBytes: () => 0 },
      ...{ removeMetadata: () => false, pictures, now, log },
    });
    await media.list({ limit: 1 });
    await media.close();
  } finally {
    await records.close();
  }
  look();

  const { problems, ...counts } = await checkFolder(dir, look);
  return { counts, problems: [...left, ...problems] };
}
