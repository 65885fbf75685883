import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { namesIn } from '../storage/file-facts.ts';
import { fileEnding, type TakenType, typeOfEnding } from './media-types.ts';

const longestName = 60;
const longestShownName = 100;
/**
 * Only this many characters at the end of a name are processed. Otherwise, a very long name would take a lot of time.
 */
const longestRead = 1000;

/** Returns the file name that a sender gave, without folders and extension. The result can be empty. */
function stemOf(name: string): string {
  const last = name.slice(-longestRead).split(/[/\\]/).at(-1) ?? '';
  return last.replace(/\.[\p{L}\p{N}]{1,10}$/u, '');
}

/**
 * Returns the name to use in a URL: lowercase ASCII letters, digits and hyphens, at most 60 characters, never empty.
 */
export function cleanName(name: string): string {
  const ascii = stemOf(name)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return (
    ascii
      .slice(0, longestName + 1)
      .replace(/^-|-$/g, '')
      .slice(0, longestName)
      .replace(/-$/, '') || 'file'
  );
}

/** Returns the name that the owner sees: in its original script, without folders or invisible characters. */
export function shownName(name: string, type: TakenType): string {
  const stem = stemOf(name)
    .normalize('NFC')
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .replace(/\s+/g, ' ')
    .replace(/^[\s.]+|\s+$/g, '');
  return `${Array.from(stem).slice(0, longestShownName).join('') || 'file'}.${fileEnding(type)}`;
}

const randomBytesOfName = 16;

/** Returns an unguessable file name: 128 random bits followed by the cleaned name. */
export function newFileName(name: string, type: TakenType): string {
  return `${randomBytes(randomBytesOfName).toString('base64url')}-${cleanName(name)}.${fileEnding(type)}`;
}

const fileName = /^[A-Za-z0-9_-]{22}-([a-z0-9-]{1,60}\.([a-z0-9]{2,5}))$/;

export interface FileNameParts {
  /** The cleaned name with its extension. */
  readonly name: string;
  readonly type: TakenType;
}

/** Parses a file name in the format of newFileName; returns undefined for any other name. */
export function partsOfFileName(text: string): FileNameParts | undefined {
  const [, name, ending] = fileName.exec(text) ?? [];
  const type = ending === undefined ? undefined : typeOfEnding(ending);
  return name === undefined || type === undefined ? undefined : { name, type };
}

/** The location of a stored file: its month, such as `2026/11`, and its name in the folder of that month. */
export interface MediaPlace {
  readonly month: string;
  readonly file: string;
}

export const mediaPath = ({ month, file }: MediaPlace) => `/media/${month}/${file}`;

/** Parses the path of a file into the file's location. Returns undefined if no file can have that path. */
export function mediaPlace(path: string): MediaPlace | undefined {
  const [, month, file] = /^\/media\/(\d{4}\/(?:0[1-9]|1[0-2]))\/([^/]+)$/.exec(path) ?? [];
  if (month === undefined || file === undefined || partsOfFileName(file) === undefined) return undefined;
  return { month, file };
}

/** Returns the folder for files that are still being received. */
export const incomingOf = (dir: string) => join(dir, 'incoming');

/**
 * Returns the names of the media files in a month's folder. Ignores names that don't have the format of newFileName.
 */
export async function mediaFilesIn(folder: string): Promise<Set<string>> {
  return new Set((await namesIn(folder)).filter((name) => partsOfFileName(name) !== undefined));
}
