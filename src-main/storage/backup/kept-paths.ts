/** Which files of a data folder go into a backup, and what they are called in the zip. Paths use `/` as separator. */

/** The folder of compiled code (see code-cache.ts). */
export const codeCacheName = 'code-cache';
/**
 * Top-level names in the data folder that belong to this computer or to the running process: the lock, Electron's
 * profile, log files, the socket of the `porchlight` command, the tunnel's files, and compiled code. The last two
 * contain code that Porchlight runs, so a backup must not replace them.
 */
const belongsHere = new Set([
  'lock',
  'electron',
  'logs',
  'tunnel',
  codeCacheName,
  'porchlight.sock',
  'porchlight.sock.place',
]);
/** Files that change even during a write pause (see write-pause.ts), such as an upload that is still arriving. */
const restless = /^(?:logs|tunnel|media\/incoming)(?:\/|$)/;
/** The prefix of temporary names in the data folder while copying. */
export const workPrefix = '.porchlight-';
/** The file that describes the newest backup and export. */
export const lastCopiesName = 'last-copies.json';
/** The notes about copies, and the newest known time. They apply to this computer only, so no backup contains them. */
const ownNotes = /^(?:last-copies|clock)\.json/;
/** The derived index, with the files that SQLite keeps beside it. */
const indexFiles = /^index\.sqlite/;
const secretFiles = /^secrets\.json/i;
const accessFiles = /^grants(?:-ended)?\.json/;
const unfinished = /\.(?:tmp|new|part|draft|fetched)$/;

/**
 * Returns whether a backup contains a path. It leaves out secrets, derived files, unfinished files, and what belongs to
 * this computer.
 */
export function isKept(path: string): boolean {
  const names = path.split('/');
  const [top = '', second] = names;
  const last = names.at(-1) ?? '';
  if (staysHere(top) || indexFiles.test(asDisksRead(top))) return false;
  if (unfinished.test(last)) return false;
  return !(top === 'media' && (second === 'incoming' || names.includes('thumbnails')));
}

/**
 * Returns whether the top-level file `name` belongs to this computer, and so stays when a restore replaces the data.
 */
export function staysHere(name: string): boolean {
  const read = asDisksRead(name);
  return (
    belongsHere.has(read) || secretFiles.test(read) || ownNotes.test(read) || read.startsWith(workPrefix)
  );
}

/**
 * Returns whether a path moves along with its data folder. The lock, Electron's profile, the command's socket,
 * compiled code, the index and temporary copies don't.
 */
export function isMoved(path: string): boolean {
  return (
    !/^(?:lock|electron|code-cache|porchlight\.sock(?:\.place)?)(?:\/|$)/.test(path) &&
    !path.startsWith(workPrefix) &&
    !indexFiles.test(path)
  );
}

/**
 * Returns whether a path can be copied to a new data folder while the server runs. All other moved paths are copied at
 * the next start, when nothing writes to them.
 */
export const isMovedEarly = (path: string): boolean =>
  isMoved(path) && !restless.test(path) && !unfinished.test(path);

/**
 * Returns a name as the least exact file system reads it. Some file systems treat `Secrets.json`, `\u017fecrets.json`
 * (a long s) or `secrets.json.` as `secrets.json`. So a backup from somebody else could replace the existing file.
 */
const asDisksRead = (name: string) =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[. ]+$/, '');

/** Returns whether the top-level file `name` lists the signed-in apps. */
export const isAccess = (name: string): boolean => accessFiles.test(asDisksRead(name));

/**
 * Returns whether a file is a journal. Journals grow in place, so a hard link to one would grow too. All other files
 * are replaced whole.
 */
export const growsInPlace = (path: string): boolean => path.endsWith('.jsonl');

const dataFolder = 'data/';
// Characters that other systems, or programs that unpack the zip directly, cannot handle.
const awkward = /[%\\:*?"<>|]/g;

/** Returns the name of a file in the zip. Characters that not every system allows are percent-encoded. */
export function entryNameOf(path: string): string {
  return dataFolder + path.replace(awkward, percent).replace(/\p{Cc}/gu, percent);
}

/** Returns the path of the file in a zip entry; undefined if no backup of ours would contain such an entry. */
export function pathOfEntry(entry: string): string | undefined {
  if (!entry.startsWith(dataFolder)) return undefined;
  let path: string;
  try {
    path = entry.slice(dataFolder.length).replace(/(?:%[0-9A-F]{2})+/g, decodeURIComponent);
  } catch {
    return undefined;
  }
  const sound = path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
  // Each file has exactly one spelling, and no entry may replace the secrets or the lock.
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

/** Returns a time (ms) as it appears in the names of copies: `2026-11-22T10-00-00`, in UTC. Windows allows no colon. */
export const nameOfMoment = (at: number): string =>
  new Date(at).toISOString().slice(0, 19).replaceAll(':', '-');

/** Returns the time (ms) that `nameOfMoment` wrote; NaN for any other text. */
export function momentOfName(text: string): number {
  const [, day, time = ''] = /^(\d{4}-\d\d-\d\d)T(\d\d-\d\d-\d\d)$/.exec(text) ?? [];
  return day === undefined ? NaN : Date.parse(`${day}T${time.replaceAll('-', ':')}Z`);
}
