import { randomBytes } from 'node:crypto';
import { endingOf, typeOfEnding, type TakenType } from './media-types.ts';

const longestName = 60;
const longestShownName = 100;
/** A name is cut to this before anything looks at it, so that a long one costs nothing. */
const longestRead = 1000;

/** A sender's name of a file without its folders and its ending; '' where it has none. */
function stemOf(name: string): string {
  const last = name.slice(-longestRead).split(/[/\\]/).at(-1) ?? '';
  return last.replace(/\.[\p{L}\p{N}]{1,10}$/u, '');
}

/** The name for an address: ASCII letters in lower case, digits and hyphens, at most 60; never empty. */
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

/** The name as the owner reads it: in its own script, without folders and without characters that show nothing. */
export function shownName(name: string, type: TakenType): string {
  const stem = stemOf(name)
    .normalize('NFC')
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .replace(/\s+/g, ' ')
    .replace(/^[\s.]+|\s+$/g, '');
  return `${Array.from(stem).slice(0, longestShownName).join('') || 'file'}.${endingOf(type)}`;
}

const randomBytesOfName = 16;

/** A file name that nobody guesses: 128 random bits before the cleaned name. */
export function newFileName(name: string, type: TakenType): string {
  return `${randomBytes(randomBytesOfName).toString('base64url')}-${cleanName(name)}.${endingOf(type)}`;
}

const fileName = /^[A-Za-z0-9_-]{22}-([a-z0-9-]{1,60}\.([a-z0-9]{2,5}))$/;

export interface FileNameParts {
  /** The cleaned name with its ending. */
  readonly name: string;
  readonly type: TakenType;
}

/** What a file name of ours says; undefined where it is none. */
export function partsOfFileName(text: string): FileNameParts | undefined {
  const [, name, ending] = fileName.exec(text) ?? [];
  const type = ending === undefined ? undefined : typeOfEnding(ending);
  return name === undefined || type === undefined ? undefined : { name, type };
}

/** Where a file is: its month, `2026/11`, and its name in there. */
export interface MediaPlace {
  readonly month: string;
  readonly file: string;
}

export const pathOf = ({ month, file }: MediaPlace) => `/media/${month}/${file}`;

/** The place that a path names; undefined where it can be no file's. */
export function placeOf(path: string): MediaPlace | undefined {
  const [, month, file] = /^\/media\/(\d{4}\/(?:0[1-9]|1[0-2]))\/([^/]+)$/.exec(path) ?? [];
  if (month === undefined || file === undefined || partsOfFileName(file) === undefined) return undefined;
  return { month, file };
}
