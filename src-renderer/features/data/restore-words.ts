import type { DataCounts } from '../../../src-main/contract/data.ts';
import { sizeWords } from '../media/words.ts';
import { contentsOf } from './words.ts';

/** The words of a restore: its card, and the steps from choosing a backup to the restart. */

export const restoreCardWords = {
  heading: 'Restore',
  about: 'Replaces the data on this computer with the data in a backup. You see what would change first.',
  action: 'Restore a backup…',
  checked: 'Porchlight has checked a backup. You haven’t restored it yet.',
  resume: 'Continue the restore…',
};

export const restoreFlowWords = {
  documentTitle: 'Restore a backup · Porchlight',
  title: 'Restore a backup',
  waitingTitle: 'Restart to finish',
  loading: 'the state of your data',
  back: 'Back',
};

export const restoreChoiceWords = {
  file: 'Backup file',
  aboutFile: 'The full path, for example /home/ada/backup.zip',
  passphrase: 'Passphrase',
  aboutPassphrase: 'Needed only for the secrets in the backup, such as the key that keeps apps signed in.',
  about: 'Porchlight checks the file and shows what would change. It restores nothing until you confirm.',
  action: 'Check this backup',
  failed: 'Porchlight can’t use this backup.',
};

export const restoreReviewWords = {
  backup: 'This backup',
  noOwner: 'Owner unknown',
  madeAt: (when: string) => `, made on ${when}.`,
  contents: (counts: DataCounts) => `${contentsOf(counts)}, ${sizeWords(counts.bytes)}.`,
  problem: 'Problem in this backup:',
  changes: 'What would change',
  noChanges: 'Nothing that affects whom you trust, how the web reaches you, or your privacy.',
  aboutChanges:
    'These settings affect whom you trust, how the web reaches you, or your privacy. Each one keeps its value on this computer unless you tick it.',
  here: 'Here:',
  there: 'In the backup:',
  action: 'Restore this backup…',
  cancel: 'Cancel restore',
  notCancelled: 'The restore wasn’t cancelled.',
};

export const ownBackupWords = {
  question: 'Is this your own backup?',
  yes: 'Yes, take everything',
  yesAbout: 'Your settings, posts, files and mentions become those in the backup.',
  no: 'No, or I’m not sure',
  noAbout: 'You choose which settings to take. The posts, files and mentions are taken in any case.',
  access: 'Who gets access',
  aboutAccess: 'These let apps, programs or other sites do something. Tick only what you still want.',
};

export const restoreConfirmWords = {
  title: 'Restore this backup?',
  action: 'Restore',
  what: 'When Porchlight restarts, the posts, files and mentions in this backup replace those on this computer. Porchlight keeps your current data in a folder beside the data folder.',
  noneTaken: 'All settings in the list keep their values on this computer.',
  allTaken: 'You take all settings from the backup.',
  allTakenExcept: (labels: readonly string[]) =>
    `You take all settings from the backup, except: ${labels.join('; ')}.`,
  taken: (labels: readonly string[]) => `You also take from the backup: ${labels.join('; ')}.`,
};

export const waitingWords = {
  cancel: { restore: 'Cancel restore', move: 'Cancel move' },
  notCancelled: 'It wasn’t cancelled.',
};
