import { join } from 'node:path';
import { app, dialog, type OpenDialogOptions, type SaveDialogOptions, shell } from 'electron';
import { repairing } from '../app/tables.ts';
import type { PathChoice } from '../contract/data.ts';
import { type DataPlace, findData, whereDataIs } from '../data/backup/find-data.ts';
import type { DesktopAbilities } from '../data/owner.ts';
import { systemClock } from '../platform/clock.ts';
import { promptly } from './message-box.ts';
import { startAgain } from './ending.ts';

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

const zip = [{ name: 'Zip', extensions: ['zip'] }];

const save: Partial<Record<PathChoice, SaveDialogOptions>> = {
  saveBackup: { title: 'Save the backup to', buttonLabel: 'Back up', filters: zip },
  saveMentions: {
    title: 'Save the mentions to',
    buttonLabel: 'Save',
    filters: [{ name: 'JF2', extensions: ['jf2', 'json'] }],
  },
  saveExport: { title: 'Save the export to', buttonLabel: 'Export', filters: zip },
};

const folder: OpenDialogOptions['properties'] = ['openDirectory', 'createDirectory'];
const open: Partial<Record<PathChoice, OpenDialogOptions>> = {
  openBackup: { title: 'Choose a backup', properties: ['openFile'], filters: zip },
  weeklyFolder: { title: 'Choose a folder for weekly backups', properties: folder },
  importFile: { title: 'Choose an archive of posts', properties: ['openFile'] },
  importFolder: { title: 'Choose a folder of posts', properties: ['openDirectory'] },
  siteFolder: { title: 'Choose the folder of your site', properties: ['openDirectory'] },
  newFolder: { title: 'Choose an empty folder for your data', properties: folder },
};

/** Shows a system dialog in which the owner chooses a path. Returns null if the owner cancels. */
async function choosePath(purpose: PathChoice, suggestion: string | undefined): Promise<string | null> {
  const defaultPath = suggestion === undefined ? {} : { defaultPath: suggestion };
  const saving = save[purpose];
  if (saving) {
    const { canceled, filePath } = await promptly(dialog.showSaveDialog({ ...saving, ...defaultPath }));
    return canceled || filePath === '' ? null : filePath;
  }
  const { canceled, filePaths } = await promptly(dialog.showOpenDialog({ ...open[purpose], ...defaultPath }));
  return canceled ? null : (filePaths[0] ?? null);
}
