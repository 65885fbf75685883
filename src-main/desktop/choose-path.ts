import { dialog, type OpenDialogOptions, type SaveDialogOptions } from 'electron';
import type { PathChoice } from '../contract/data.ts';

const zip = [{ name: 'Zip', extensions: ['zip'] }];

const save: Partial<Record<PathChoice, SaveDialogOptions>> = {
  saveBackup: { title: 'Where does the backup go?', buttonLabel: 'Back up', filters: zip },
  saveMentions: {
    title: 'Where do the mentions go?',
    buttonLabel: 'Save',
    filters: [{ name: 'JF2', extensions: ['jf2', 'json'] }],
  },
  saveExport: { title: 'Where does everything go?', buttonLabel: 'Take it all', filters: zip },
};

const folder: OpenDialogOptions['properties'] = ['openDirectory', 'createDirectory'];
const open: Partial<Record<PathChoice, OpenDialogOptions>> = {
  openBackup: { title: 'Which backup?', properties: ['openFile'], filters: zip },
  weeklyFolder: { title: 'Where do the weekly copies go?', properties: folder },
  newFolder: { title: 'Which empty folder is the data’s new place?', properties: folder },
};

/** Asks in a dialog of the system; null where the owner changed their mind. */
export async function choosePath(
  purpose: PathChoice,
  suggestion: string | undefined,
): Promise<string | null> {
  const defaultPath = suggestion === undefined ? {} : { defaultPath: suggestion };
  const saving = save[purpose];
  if (saving) {
    const { canceled, filePath } = await dialog.showSaveDialog({ ...saving, ...defaultPath });
    return canceled || filePath === '' ? null : filePath;
  }
  const { canceled, filePaths } = await dialog.showOpenDialog({ ...open[purpose], ...defaultPath });
  return canceled ? null : (filePaths[0] ?? null);
}
