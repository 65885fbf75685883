import path from 'node:path';
import { recordsName } from '../storage/records/records-file.ts';
import type { RecordsRepair } from '../storage/records/repair.ts';
import type { Recovery } from '../storage/recovery.ts';
import type { NewsItem } from './news.ts';

const holdWords = 'New mentions wait for your approval until you dismiss this message.';

/** Returns the news of a file that was damaged or missing and was recovered. */
export function recoveryNews(recovery: Recovery): NewsItem {
  const holds = isAboutMentions(recovery);
  const wait = holds ? ` ${holdWords}` : '';
  return { code: 'storage_recovered', message: `${recoveryWords(recovery)}${wait}`, holds };
}

/** Returns the news of a database that was damaged or missing and was repaired. */
export function repairNews({ movedTo, copyFrom, isPartial }: RecordsRepair): NewsItem {
  const what =
    movedTo === null
      ? `The database ${recordsName} was missing or empty.`
      : `The database ${recordsName} was damaged. Porchlight kept it as ${path.basename(movedTo)}.`;
  const code = 'storage_recovered';
  if (!isPartial)
    return {
      code,
      message: `${what} Porchlight made a new one. Everything in it could be read.`,
      holds: false,
    };
  const source =
    copyFrom === null
      ? 'There was no copy of it.'
      : `Porchlight used its copy from ${copyFrom.toISOString().slice(0, 16).replace('T', ' ')} UTC.`;
  const lost =
    'What Porchlight recorded by itself may be missing, such as mentions, activity and signed-in apps. Your posts and settings are in other files.';
  return { code, message: `${what} ${source} ${lost} ${holdWords}`, holds: true };
}

/** Returns the news of work that the queue set aside because it can't be read. */
export const unreadableWork = (kind: string): NewsItem => ({
  code: 'storage_recovered',
  message: `Something that Porchlight still had to do can’t be read (${kind}). It was set aside.`,
  holds: false,
});

/** Returns whether a file decided which mentions are shown without approval. */
function isAboutMentions({ file, recoveredFrom, keys = [] }: Recovery): boolean {
  const name = path.basename(file);
  return (
    name === 'settings.json' &&
    (recoveredFrom !== 'initial' || keys.some((key) => key.startsWith('webmention')))
  );
}

function recoveryWords({ file, movedTo, recoveredFrom, keys = [] }: Recovery): string {
  const name = path.basename(file);
  const replaced =
    keys.length === 0
      ? ''
      : ` These values weren’t valid, so Porchlight uses the defaults instead: ${listed(keys)}.`;
  if (recoveredFrom === 'initial') {
    const copy = movedTo === null ? '' : ` The file as it was is kept as ${path.basename(movedTo)}.`;
    return `Check the file ${name}.${replaced}${copy}`;
  }
  const what =
    movedTo === null
      ? `The file ${name} was missing.`
      : `Porchlight couldn’t read the file ${name} and kept it as ${path.basename(movedTo)}.`;
  const next = {
    previous: 'Porchlight uses the previous version.',
    copy: 'Porchlight uses its last copy of the content.',
    nothing: 'Porchlight starts with an empty one.',
    rest: 'The readable part is still there.',
  }[recoveredFrom];
  return `${what} ${next}${replaced}`;
}

/** Returns the first five keys and how many others there are. A damaged list may have thousands of keys. */
function listed(keys: readonly string[]): string {
  const named = keys.slice(0, 5).join(', ');
  return keys.length > 5 ? `${named} and ${keys.length - 5} more` : named;
}
