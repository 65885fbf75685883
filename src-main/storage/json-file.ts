import type { FileOperations } from './file-operations.ts';
import { errorCode, readFailure } from './storage-error.ts';

export type JsonFile =
  | { state: 'missing' }
  | { state: 'broken'; reason: string }
  | { state: 'whole'; value: unknown };

/**
 * Reads a JSON file. Returns its value, or reports that the file is missing or broken.
 *
 * @throws PorchlightError `storage_unreadable` if the system refuses access. Such a file isn't broken, and stays
 * unchanged.
 */
export async function readJson(path: string, operations: FileOperations): Promise<JsonFile> {
  let text: string;
  try {
    text = await operations.read(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { state: 'missing' };
    throw readFailure(path, error);
  }
  try {
    const value: unknown = JSON.parse(text);
    return { state: 'whole', value };
  } catch (error) {
    return { state: 'broken', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Returns JSON that the owner can read: indented, with a final line break. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
