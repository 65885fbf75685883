import type { DataCounts } from '../../../src-main/contract/data.ts';
import { sizeWords } from '../media/words.ts';

/** The words of the screen “Your data”. Those of a restore are in restore-words.ts. */

/** Returns a number with its noun, such as “1 post” or “1,200 posts”. */
function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns what a copy contains, such as “12 posts, 1 file, 30 mentions”. */
export function contentsOf({ posts, files, mentions }: DataCounts): string {
  return [countOf(posts, 'post'), countOf(files, 'file'), countOf(mentions, 'mention')].join(', ');
}

export const dataWords = {
  title: 'Your data',
  about: 'Everything is stored on this computer. Keep a copy somewhere else.',
  loading: 'the state of your data',
  loadingSettings: 'your settings',
  tabs: 'What to do with your data',
  newHere: 'Nothing is here yet. If you used Porchlight on another computer, start with Restore.',
};

/** The tabs of the screen. */
export const tabWords = { 'back-up': 'Back up', import: 'Import', export: 'Export', move: 'Move' };

export const progressWords = {
  bar: 'Progress',
  sizes: (done: number, total: number) =>
    total > 0 ? `${sizeWords(Math.min(done, total))} of ${sizeWords(total)}` : `${sizeWords(done)} so far`,
  cancel: 'Cancel',
  backupDone: 'Backup finished. Porchlight read it back and checked it.',
  exportDone: 'Export finished.',
};

export const copyWords = {
  lastBackup: 'Last backup:',
  lastExport: 'Last export:',
  noBackup: 'You haven’t made a backup yet.',
  size: (bytes: number, counts: DataCounts) => `${sizeWords(bytes)} (${contentsOf(counts)})`,
  withSecrets: 'It contains your secrets.',
  withoutSecrets: 'It contains no secrets.',
  show: 'Show in folder',
  downloaded: 'Your browser downloaded it.',
  showBackup: 'Show in folder: the last backup',
  showExport: 'Show in folder: the last export',
  showData: 'Show in folder: the data folder',
  thePath: {
    backup: 'the path of the last backup',
    export: 'the path of the last export',
    data: 'the path of the data folder',
  },
  notShown: 'The folder didn’t open.',
};

export const pathWords = { description: 'For example /home/ada/backup.zip' };

/** Files that a browser uploads. */
export const archiveUploadWords = {
  choose: 'Choose a file…',
  bar: 'Upload progress',
  sending: (done: string, total: string) => `Uploading (${done} of ${total}):`,
  uploaded: 'Uploaded:',
  failed: 'The file wasn’t uploaded.',
  tooLarge: (size: string) =>
    `The file is ${size}. A browser can upload up to 4 GB. Copy larger files to the computer that runs Porchlight, and enter the path.`,
  onServer: 'Use a file on the computer that runs Porchlight',
};

/** Files that a browser downloads. */
export const downloadWords = {
  backup: 'Download a backup',
  export: 'Download an export',
  begun: (name: string) => `Your browser is downloading ${name}.`,
  onServer: 'Save it on the computer that runs Porchlight instead',
};

export const backupWords = {
  heading: 'Back up',
  about: 'Saves everything in one file. You can restore it here or on another computer.',
  path: 'Save the backup to',
  suggestion: 'porchlight-backup.zip',
  withSecrets: 'Include secrets, protected by a passphrase',
  aboutSecrets: 'Then apps stay signed in on a new computer. Without secrets, they have to sign in again.',
  passphrase: 'Passphrase',
  aboutPassphrase:
    'At least 10 characters. Nobody can open the secrets without it, and nobody can recover it.',
  again: 'Repeat the passphrase',
  differs: 'The passphrases don’t match.',
  action: 'Back up now',
  failed: 'The backup failed.',
  problem: 'Problem in your data:',
};

export const weeklyWords = {
  heading: 'Weekly backups',
  about: 'Porchlight makes these on its own. They contain no secrets.',
  folder: 'Folder for weekly backups',
  aboutFolder: 'Choose a folder on another disk. Leave this empty to turn weekly backups off.',
  keep: 'Number of backups to keep',
  none: 'There is no weekly backup yet.',
  last: 'Last weekly backup:',
};

export const exportWords = {
  heading: 'Export',
  about: 'Saves posts as Markdown, files, mentions and your profile in formats that other programs can read.',
  path: 'Save the export to',
  suggestion: 'porchlight.zip',
  action: 'Export',
  failed: 'The export failed.',
};

export const moveWords = {
  heading: 'Move to another computer',
  about: 'Back up here, then restore there. Your apps stay signed in if the backup contains your secrets.',
  backUp: 'On this computer, make a backup with secrets.',
  backUpAction: 'Back up with secrets…',
  copy: 'Copy the backup file to the other computer, and install Porchlight there.',
  restore: 'On the other computer, choose “Restore a backup” on the first screen.',
  quit: 'Quit Porchlight here. Only one computer should use your public address.',
  isNew: 'Is this the new computer?',
  restoreAction: 'Restore a backup here…',
};

export const leftoverWords = {
  heading: 'Data from before a restore',
  about:
    'After a restore, Porchlight keeps your earlier data, from the last two restores at most. Delete it if you no longer need it.',
  loads: 'the data from before your restores',
  /** The time comes in place of {ago}, such as “3 days ago”. */
  replaced: 'Replaced by a restore {ago}',
  thePath: (when: string) => `the path of the data that was replaced on ${when}`,
  delete: 'Delete…',
  deleteOf: (when: string) => `Delete the data that was replaced on ${when}…`,
  title: 'Delete the data from before the restore?',
  means: (when: string, size: string) =>
    `This deletes the folder with the data (${size}) that was replaced on ${when}. You can’t undo this. Your current data stays.`,
  action: 'Delete',
  done: (when: string) => `Deleted the data that was replaced on ${when}.`,
};

export const folderWords = {
  heading: 'Data folder',
  about: 'Porchlight stores everything in this folder.',
  move: 'Move the folder to another disk',
  path: 'New, empty folder',
  action: 'Move the folder',
  failed: 'The folder wasn’t moved.',
};
