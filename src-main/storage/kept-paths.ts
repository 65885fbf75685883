/**
 * Rules for which files of a data folder go into a backup, and for their names in the zip. Paths use `/` as separator.
 */

/**
 * The name of an empty SQLite file. The process that has a transaction open in it has the lock of the folder (see
 * folder-lock.ts). Never open and close this file through `fs`: on POSIX systems, closing any handle of a file drops all
 * locks that the process has on it.
 */
export const lockName = 'lock.sqlite';
/** The name of the file whose room is for endings on a full disk (see reserve.ts). */
export const reserveName = 'records.reserve';
/** The name of the folder with compiled code (see code-cache.ts). */
export const codeCacheName = 'code-cache';
/**
 * The names of the top-level files and folders that belong to this computer or to the running process. Restoring a
 * backup must not replace them. Some of them contain code that Porchlight runs, such as the tunnel's files and the
 * compiled code.
 */
const belongsHere = new Set([
  'electron',
  'logs',
  'tunnel',
  'mailbox',
  codeCacheName,
  'porchlight.sock',
  'porchlight.sock.place',
]);
/** Files that change even during a write pause (see write-pause.ts), such as an upload that is still arriving. */
const restless = /^(?:logs|tunnel|media\/incoming)(?:\/|$)/;
/** The prefix of the names of temporary files and folders in the data folder. */
export const workPrefix = '.porchlight-';
/** The name of the folder with files that pass between the owner's browser and this server (see transfers.ts). */
export const transfersName = `${workPrefix}transfers`;
/** The file that describes the newest backup and export. */
export const lastCopiesName = 'last-copies.json';
/** The file that names the backup or export that is being written. */
export const unfinishedCopyName = 'unfinished-copy.json';
/**
 * last-copies.json describes the newest backup and export. clock.json contains the latest time that Porchlight
 * considers plausible. unfinished-copy.json names a file of this computer. They apply to this computer only, so no backup contains them.
 */
const ownNotes = /^(?:last-copies|clock|unfinished-copy)\.json/;
/** The index, which is derived from the data, and the files that SQLite keeps beside it. */
const indexFiles = /^index\.sqlite/;
/** The database, its copies, and the files beside them. A backup and a move contain its rows instead. */
const recordsFiles = /^(?:records\.(?:snapshot\.)?(?:previous\.)?sqlite|known\.json)/;
/** A damaged database, which a repair has kept aside for the owner. Porchlight never opens it again. */
const keptAside = /^records\.sqlite\.broken-/;
/** The lock of the folder (see folder-lock.ts), and the reserve. */
const lockFiles = /^(?:lock\.|records\.reserve)/;
const secretFiles = /^secrets\.json/i;
const unfinished = /\.(?:tmp|new|part|draft|fetched)$/;

/**
 * Returns whether a backup contains the file at a path. A backup leaves out secrets, derived files, unfinished files,
 * and files that belong to this computer.
 */
export function isKept(path: string): boolean {
  const names = path.split('/');
  const [top = '', second] = names;
  const last = names.at(-1) ?? '';
  const read = asDisksRead(top);
  if (staysHere(top) || indexFiles.test(read) || recordsFiles.test(read)) return false;
  if (unfinished.test(last)) return false;
  return !(top === 'media' && (second === 'incoming' || names.includes('thumbnails')));
}

/** Returns whether a restore leaves the top-level file `name` in place. Such files belong to this computer. */
export function staysHere(name: string): boolean {
  const read = asDisksRead(name);
  return (
    belongsHere.has(read) ||
    [lockFiles, secretFiles, ownNotes].some((names) => names.test(read)) ||
    read.startsWith(workPrefix)
  );
}

/**
 * Returns whether a move of the data folder copies a path. A move leaves out the lock, the reserve, Electron's profile,
 * the socket of the `porchlight` command, compiled code, the index, the database (see moved-records.ts) and temporary
 * copies.
 */
export function isMoved(path: string): boolean {
  return (
    !/^(?:electron|code-cache|porchlight\.sock(?:\.place)?)(?:\/|$)/.test(path) &&
    !path.startsWith(workPrefix) &&
    !indexFiles.test(path) &&
    !lockFiles.test(path) &&
    (!recordsFiles.test(path) || keptAside.test(path))
  );
}

/**
 * Returns whether a move can copy a path while the server runs. At the next start, when nothing writes to the data, the
 * move copies the other paths that `isMoved` accepts.
 */
export const isMovedEarly = (path: string): boolean =>
  isMoved(path) && !restless.test(path) && !unfinished.test(path);

/**
 * Normalizes a name for comparison. Some file systems treat `Secrets.json`, `\u017fecrets.json` (a long s) or
 * `secrets.json.` as `secrets.json`. In a manipulated backup, an entry with such a name could replace the real file.
 */
function asDisksRead(name: string): string {
  const plain = name.normalize('NFKC').toLowerCase();
  // Avoids a regular expression, which would take quadratic time on a long run of dots.
  let end = plain.length;
  while (end > 0 && '. '.includes(plain.charAt(end - 1))) end -= 1;
  return plain.slice(0, end);
}

const dataFolder = 'data/';
// Characters in file names that some operating systems, or some unzip programs, can't handle.
const awkward = /[%\\:*?"<>|]/g;

/** Returns the name of a file's zip entry. Percent-encodes characters that some systems don't allow. */
export function entryNameOf(path: string): string {
  return dataFolder + path.replace(awkward, percent).replace(/\p{Cc}/gu, percent);
}

/**
 * Returns the file path for the name of a zip entry; undefined if Porchlight would never write an entry with that
 * name.
 */
export function pathOfEntry(entry: string): string | undefined {
  if (!entry.startsWith(dataFolder)) return undefined;
  let path: string;
  try {
    path = entry.slice(dataFolder.length).replace(/(?:%[0-9A-F]{2})+/g, decodeURIComponent);
  } catch {
    return undefined;
  }
  const sound = path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
  // Reject names that aren't the exact encoding of a path, and paths that backups leave out, such as the secrets and
  // the lock.
  if (!sound || path.includes('\0') || entryNameOf(path) !== entry || !isKept(path)) return undefined;
  if (process.platform !== 'win32') return path;
  // On Windows, a name such as SECRET~1.JSO may be an alias of an existing file.
  return /[\\:*?"<>|]|~\d/.test(path) ? undefined : path;
}

function percent(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}

/**
 * Formats a time (ms) in UTC for use in file names: `2026-11-22T10-00-00`. The result contains no colons, because
 * Windows doesn't allow them in file names.
 */
export const nameOfMoment = (at: number): string =>
  new Date(at).toISOString().slice(0, 19).replaceAll(':', '-');

/** Parses a string that `nameOfMoment` returned. Returns the time in ms; NaN for any other string. */
export function momentOfName(text: string): number {
  const [, day, time = ''] = /^(\d{4}-\d\d-\d\d)T(\d\d-\d\d-\d\d)$/.exec(text) ?? [];
  return day === undefined ? NaN : Date.parse(`${day}T${time.replaceAll('-', ':')}Z`);
}
