import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { writeSync } from 'node:fs';
import { keepTrust } from '../../src-main/app/restoring.ts';
import { findData } from '../../src-main/data/backup/find-data.ts';
import { prepareMove } from '../../src-main/data/backup/move.ts';
import { finishPending, takePending } from '../../src-main/data/backup/pending.ts';
import { grantsProof, grantsRepair, noRecords, quietWork, restore } from './backup-scene.ts';

// A process of its own that kills itself, as a power cut would, before its nth change of the disk:
//   data-mover.ts prepare|take|copy|find HOME N    HOME holds data/, backup.zip, place.json, and gets moved/

const [step = '', home = '', count = ''] = process.argv.slice(2);
let left = Number(count);

function dying<A extends unknown[], R>(change: (...args: A) => R): (...args: A) => R {
  return (...args) => {
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
    return change(...args);
  };
}

// Whoever imports them by name gets these from now on.
promises.rename = dying(promises.rename);
promises.rm = dying(promises.rm);
promises.mkdir = dying(promises.mkdir) as typeof promises.mkdir;
promises.copyFile = dying(promises.copyFile);
promises.link = dying(promises.link);
promises.writeFile = dying(promises.writeFile);
promises.utimes = dying(promises.utimes);
promises.open = dying(promises.open);
syncBuiltinESMExports();

const dataDir = `${home}/data`;
const placeFile = `${home}/place.json`;
const steps: Record<string, () => Promise<unknown>> = {
  prepare: () => restore({ dataDir, file: `${home}/backup.zip`, prove: grantsProof }),
  async take() {
    await takePending(dataDir, (pending) => keepTrust(dataDir, pending, () => undefined));
    await finishPending(dataDir);
  },
  copy: () =>
    prepareMove({
      dataDir,
      target: `${home}/moved`,
      placeFile,
      now: Date.now(),
      records: noRecords,
      work: quietWork(),
    }),
  find: () => findData(placeFile, dataDir, grantsRepair),
};
await steps[step]?.();
writeSync(1, 'done\n');
