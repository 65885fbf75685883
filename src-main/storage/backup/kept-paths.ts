/** Which files of a data folder go into a backup, and what they are called in it. Paths here have `/` between names. */

/**
 * What is at the top of the folder and belongs to this computer or this run: the lock, Electron's profile, log files,
 * the socket of the `porchlight` command, and what the tunnel needs. The tunnel's folder contains a program that
 * Porchlight runs, so a backup must not bring another one.
 */
const belongsHere = new Set([
  'lock',
  'electron',
  'logs',
  'tunnel',
  'porchlight.sock',
  'porchlight.sock.place',
]);
/** What is written and removed without regard to a pause (see write-pause.ts); an upload grows in its place. */
const restless = /^(?:logs|tunnel|media\/incoming)(?:\/|$)/;
/** The start of the name of what is made beside the data while copying. */
export const workPrefix = '.porchlight-';
/** The notes about the newest backup and export. */
export const lastCopiesName = 'last-copies.json';
/** These notes and the newest time are true of this computer alone, so no backup contains them. */
const ownNotes = /^(?:last-copies|clock)\.json/;
/** The derived index, with what SQLite keeps beside it. */
const indexFiles = /^index\.sqlite/;
const secretFiles = /^secrets\.json/i;
const accessFiles = /^grants(?:-ended)?\.json/;
const unfinished = /\.(?:tmp|new|part|draft|fetched)$/;

/** True for what a backup holds: everything but secrets, what is made anew from the rest, and what is unfinished. */
export function isKept(path: string): boolean {
  const names = path.split('/');
  const [top = '', second] = names;
  const last = names.at(-1) ?? '';
  if (staysHere(top) || indexFiles.test(asDisksRead(top))) return false;
  if (unfinished.test(last)) return false;
  return !(top === 'media' && (second === 'incoming' || names.includes('thumbnails')));
}

/** True for what stays where it is when other data takes its place: it belongs to this computer. `name`: at the top. */
export function staysHere(name: string): boolean {
  const read = asDisksRead(name);
  return (
    belongsHere.has(read) || secretFiles.test(read) || ownNotes.test(read) || read.startsWith(workPrefix)
  );
}

/** True for what moves with its folder: all but the lock, Electron's profile, the index, and what is made while copying. */
export function isMoved(path: string): boolean {
  return (
    !/^(?:lock|electron|porchlight\.sock(?:\.place)?)(?:\/|$)/.test(path) &&
    !path.startsWith(workPrefix) &&
    !indexFiles.test(path)
  );
}

/** True for what may move while the server runs; the rest follows at the next start, when nothing writes into it. */
export const isMovedEarly = (path: string): boolean =>
  isMoved(path) && !restless.test(path) && !unfinished.test(path);

/**
 * A name as the least exact disk reads it: some take `Secrets.json`, `\u017fecrets.json` (a long s) or `secrets.json.`
 * for `secrets.json`, and a backup that somebody else made could replace what is there.
 */
const asDisksRead = (name: string) =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[. ]+$/, '');

/** True for what says which apps are signed in. `name`: at the top. */
export const isAccess = (name: string): boolean => accessFiles.test(asDisksRead(name));

/** Journals grow in place, so a second name would grow with them. All else is replaced whole. */
export const growsInPlace = (path: string): boolean => path.endsWith('.jsonl');

const dataFolder = 'data/';
// What a program that unpacks by hand, or another system, would stumble over.
const awkward = /[%\\:*?"<>|]/g;

/** The name of a file in the zip. Names that not every system knows are spelled with percent signs. */
export function entryNameOf(path: string): string {
  return dataFolder + path.replace(awkward, percent).replace(/\p{Cc}/gu, percent);
}

/** The file that an entry of a zip is; undefined where it is none that a backup of ours would hold. */
export function pathOfEntry(entry: string): string | undefined {
  if (!entry.startsWith(dataFolder)) return undefined;
  let path: string;
  try {
    path = entry.slice(dataFolder.length).replace(/(?:%[0-9A-F]{2})+/g, decodeURIComponent);
  } catch {
    return undefined;
  }
  const sound = path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
  // One file, one spelling; and nothing that would stand in for the secrets or the lock.
  if (!sound || path.includes('\0') || entryNameOf(path) !== entry || !isKept(path)) return undefined;
  if (process.platform !== 'win32') return path;
  // A name such as SECRET~1.JSO is another name of a file that is there.
  return /[\\:*?"<>|]|~\d/.test(path) ? undefined : path;
}

function percent(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}
