import { app } from 'electron';
import { join } from 'node:path';
import type { DesktopAbilities } from '../owner/data.ts';
import { findData, type DataPlace } from '../storage/backup/find-data.ts';
import { choosePath } from './choose-path.ts';
import { startAgain } from './start-again.ts';

const placeFile = () => join(app.getPath('userData'), 'place.json');

/** Where the data is: where --data says, else where it was moved to, else in Electron's folder. */
export async function dataPlace(given: string | undefined): Promise<DataPlace> {
  return given === undefined
    ? findData(placeFile(), join(app.getPath('userData'), 'data'))
    : { folder: given };
}

/** What the desktop lends to the service. `given`: what --data says. */
export function desktopAbilities(given: string | undefined): DesktopAbilities {
  return {
    choosePath,
    restart() {
      startAgain({ show: true });
      app.quit();
    },
    placeFile: given === undefined ? placeFile() : undefined,
  };
}
