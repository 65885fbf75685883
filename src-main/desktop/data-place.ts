import { app, shell } from 'electron';
import { join } from 'node:path';
import type { DesktopAbilities } from '../data/owner.ts';
import { systemClock } from '../platform/clock.ts';
import { repairing } from '../app/record-tables.ts';
import { findData, whereDataIs, type DataPlace } from '../data/backup/find-data.ts';
import { choosePath } from './choose-path.ts';
import { startAgain } from './start-again.ts';

const placeFile = () => join(app.getPath('userData'), 'place.json');
const usualFolder = () => join(app.getPath('userData'), 'data');

/**
 * Returns the location of the data: the folder given with --data; or else the folder to which the owner moved the data;
 * or else the default folder. Call it only at startup, because it completes a pending move.
 */
export async function dataPlace(given: string | undefined): Promise<DataPlace> {
  return given === undefined
    ? findData(placeFile(), usualFolder(), repairing(systemClock))
    : { folder: given };
}

/** Returns the data folder without completing a pending move. */
export async function dataPlaceNow(given: string | undefined): Promise<string> {
  return given ?? whereDataIs(placeFile(), usualFolder());
}

/** Returns the desktop features that the service can use. `given`: the folder given with --data. */
export function desktopAbilities(given: string | undefined): DesktopAbilities {
  return {
    choosePath,
    showInFolder: (path) => shell.showItemInFolder(path),
    restart() {
      startAgain({ show: true });
      app.quit();
    },
    placeFile: given === undefined ? placeFile() : undefined,
  };
}
