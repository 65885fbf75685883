import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { nodeOperations, type FileOperations } from '../../src-main/storage/file-operations.ts';

/** A folder of its own for the running test, gone after it. */
export async function temporaryFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'porchlight-'));
  // Work that a test started may still write its last file.
  onTestFinished(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
}

export const readJsonFile = async (path: string): Promise<unknown> =>
  JSON.parse(await readFile(path, 'utf8')) as unknown;

/** The error that a system call gives. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: simulated`), { code });
}

export interface WatchedOperations extends FileOperations {
  /** Every call so far, as `rename settings.json.tmp settings.json`. */
  calls: string[];
  /** Set: called before every operation; may throw. */
  before: (name: keyof FileOperations, paths: string[]) => void;
  /** How many times a temporary file became `name`. */
  writesOf(name: string): number;
}

/** The real operations, watched, and failing on request. */
export function watchedOperations(): WatchedOperations {
  const calls: string[] = [];
  const fileName = (path: string) => path.slice(path.lastIndexOf('/') + 1);

  async function watch<R>(name: keyof FileOperations, paths: string[], run: () => Promise<R>): Promise<R> {
    calls.push([name, ...paths.map(fileName)].join(' '));
    watched.before(name, paths);
    return run();
  }

  const watched: WatchedOperations = {
    calls,
    before: () => undefined,
    writesOf: (name) => calls.filter((call) => call === `rename ${name}.tmp ${name}`).length,
    read: (path, mostBytes) => watch('read', [path], () => nodeOperations.read(path, mostBytes)),
    write: (path, text) => watch('write', [path], () => nodeOperations.write(path, text)),
    duplicate: (from, to) => watch('duplicate', [from, to], () => nodeOperations.duplicate(from, to)),
    rename: (from, to) => watch('rename', [from, to], () => nodeOperations.rename(from, to)),
    remove: (path) => watch('remove', [path], () => nodeOperations.remove(path)),
    makeFolder: (path) => watch('makeFolder', [path], () => nodeOperations.makeFolder(path)),
    syncFolder: (path) => watch('syncFolder', [path], () => nodeOperations.syncFolder(path)),
  };
  return watched;
}
