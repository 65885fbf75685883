import { app, shell } from 'electron';
import { join } from 'node:path';
import type { DesktopAbilities } from '../owner/data.ts';
import { findData, whereDataIs, type DataPlace } from '../storage/backup/find-data.ts';
import { choosePath } from './choose-path.ts';
import { startAgain } from './start-again.ts';

const placeFile = () => join(app.getPath('userData'), 'place.json');

const usualFolder = () => join(app.getPath('userData'), 'data');

/**
 * Where the data is: where --data says, else where it was moved to, else in Electron's folder. For a start: it finishes
 * a move that waits.
 */
export async function dataPlace(given: string | undefined): Promise<DataPlace> {
  return given === undefined ? findData(placeFile(), usualFolder()) : { folder: given };
}

/** The same for those who only look: it changes nothing. */
export async function dataPlaceNow(given: string | undefined): Promise<string> {
  return given ?? whereDataIs(placeFile(), usualFolder());
}

/** What the desktop lends to the service. `given`: what --data says. */
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
