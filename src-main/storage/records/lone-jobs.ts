import { PorchlightError } from '../../contract/error.ts';
import type { Database } from '../sqlite.ts';
import { checkpointWhole, isWhole } from './records-file.ts';
import type { RecordsThread } from './records-thread.ts';
import { writeLines } from './write-lines.ts';

/**
 * Does the jobs of the thread on the main connection, for a disk without memory that connections can share. Checkpoints
 * then wait for the disk. Changes must wait while rows are written as lines, because these have no transaction of their
 * own. No copies are made, because each would stop the site for as long as it takes.
 */
export function createLoneJobs(database: Database): RecordsThread {
  return {
    async run(job) {
      switch (job.kind) {
        case 'checkpoint':
          return !job.whole || checkpointWhole(database);
        case 'dump':
          await writeLines(database, job.tables, job.dir);
          return true;
        case 'check':
          return isWhole(database);
        case 'snapshot':
          throw new PorchlightError('storage_unwritable', withoutCopies, 507);
        case 'begin':
        case 'end':
          return true;
      }
    },
    close: () => Promise.resolve(),
  };
}

const withoutCopies =
  'On this disk, such as a network drive, only one part of Porchlight can open the database at a time. Make backups instead, or move the data folder to a disk of this computer.';
