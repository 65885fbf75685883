import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A library that is preloaded into a program. */
export interface SyncLibrary {
  /** The environment of a program in which every sync takes so many ms more. */
  readonly slow: (ms: number) => Record<string, string>;
  /** The environment of a program whose syncs are counted, and a function that returns how many there were. */
  readonly counting: (name: string) => { readonly env: Record<string, string>; readonly count: () => number };
}

/**
 * Compiles the library into a folder.
 * @throws Error if this isn't Linux or has no C compiler
 */
export function syncLibrary(folder: string): SyncLibrary {
  if (process.platform !== 'linux') throw new Error('Only Linux has preloaded libraries, which see syncs.');
  const library = path.join(folder, 'slow-sync.so');
  const source = path.join(import.meta.dirname, 'slow-sync.c');
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl']);
  return {
    slow: (ms) => ({ LD_PRELOAD: library, SLOW_SYNC_MS: String(ms) }),
    counting(name) {
      const file = path.join(folder, `syncs-${name}`);
      writeFileSync(file, Buffer.alloc(8));
      return {
        env: { LD_PRELOAD: library, SYNC_COUNT: file },
        count: () => Number(readFileSync(file).readBigUInt64LE()),
      };
    },
  };
}
