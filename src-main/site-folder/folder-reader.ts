import { overLimit } from '../untrusted/kinds.ts';

/** Returns the result of a job that parses a file of the folder; undefined if the file exceeds the limits. */
export async function withinLimits<T>(job: Promise<T>): Promise<T | undefined> {
  try {
    return await job;
  } catch (error) {
    if (overLimit(error) === undefined) throw error;
    return undefined;
  }
}

/** Reads the folder that Porchlight examines. */
export interface FolderReader {
  /** Returns the names in a subfolder, or in the examined folder if `dir` is empty. The names of folders end in `/`. */
  list(dir: string): Promise<readonly string[]>;
  /** Returns the beginning of a file, at most `mostBytes` bytes; undefined if there is no such file. */
  read(file: string, mostBytes: number): Promise<string | undefined>;
}

/** The maximum length of a folder's path in a configuration, in characters. */
const longestPath = 200;

/** Returns a folder's path without slashes at its ends; undefined if the path may lead elsewhere. */
export function folderIn(setting: unknown): string | undefined {
  if (typeof setting !== 'string' || setting.length > longestPath || /\.\.|[$\\{}]/.test(setting))
    return undefined;
  return setting
    .replace(/^(?:\.?\/+)+/, '')
    .replace(/\/{1,10}$/, '')
    .replace(/^\.$/, '');
}
