import { statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { rest } from '../soak/work.ts';

/** The size of the write-ahead log from which the server moves it into the database, in bytes (records.ts). */
const largestLog = 16 * 1024 * 1024;

/** Looks from outside at the write-ahead log of a running server. */
export interface LogWatch {
  /**
   * Makes the log so large that the server begins a checkpoint with its next change. What is added is no part of the
   * log, as if that had been longer before it was restarted. A few hundred ms of load write much less.
   */
  readonly grow: () => void;
  /** Resolves with whether a checkpoint began within `ms`. */
  readonly begun: (ms: number) => Promise<boolean>;
  /** Returns whether a checkpoint has begun, because nothing else writes to the database's own file. */
  readonly hasBegun: () => boolean;
  /** Returns whether a checkpoint has begun and not emptied the log. If the server was ended, it was cut off. */
  readonly isUnderWay: () => boolean;
}

/** Watches the log of the server that runs in a data folder, from now on. */
export function watchLog(dataDir: string): LogWatch {
  const file = path.join(dataDir, 'records.sqlite');
  const log = `${file}-wal`;
  const changedAt = () => statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  const sizeOfLog = () => statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  const before = changedAt();
  const hasBegun = () => changedAt() !== before;
  let size = sizeOfLog();
  return {
    grow() {
      if (sizeOfLog() >= largestLog || sizeOfLog() === 0) return;
      truncateSync(log, largestLog);
      size = largestLog;
    },
    async begun(ms) {
      const latest = performance.now() + ms;
      while (!hasBegun() && performance.now() < latest) await rest(1);
      return hasBegun();
    },
    hasBegun,
    isUnderWay: () => hasBegun() && sizeOfLog() >= size,
  };
}
