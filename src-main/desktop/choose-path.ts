import { dialog, type OpenDialogOptions, type SaveDialogOptions } from 'electron';
import type { PathChoice } from '../contract/data.ts';
import { promptly } from './message-box.ts';

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
export async function choosePath(
  purpose: PathChoice,
  suggestion: string | undefined,
): Promise<string | null> {
  const defaultPath = suggestion === undefined ? {} : { defaultPath: suggestion };
  const saving = save[purpose];
  if (saving) {
    const { canceled, filePath } = await promptly(dialog.showSaveDialog({ ...saving, ...defaultPath }));
    return canceled || filePath === '' ? null : filePath;
  }
  const { canceled, filePaths } = await promptly(dialog.showOpenDialog({ ...open[purpose], ...defaultPath }));
  return canceled ? null : (filePaths[0] ?? null);
}
