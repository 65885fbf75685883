import { statSync } from 'node:fs';
import { staysAt } from '../records/records-file.ts';
import { createRecordsThread } from '../records/records-thread.ts';

/** The size of the write-ahead log from which it is moved into the index, in bytes. */
const largestLog = 16 * 1024 * 1024;
/** The shortest time between two looks at the size of the log, in ms. */
const checkEveryMs = 500;
/** How long to wait after a checkpoint before the next one, in ms. It may have failed. */
const pauseMs = 5000;

/** The checkpoints of an index. */
export type IndexCheckpoints = ReturnType<typeof indexCheckpoints>;

/**
 * Returns the checkpoints of an index that this thread has open, with automatic checkpoints off. They are made in
 * another thread, because they sync, and so does the first write after a whole checkpoint.
 */
export function indexCheckpoints(file: string, largestLogBytes = largestLog) {
  const thread = createRecordsThread(file);
  const [isAtPath, isLogAtPath] = [staysAt(file), staysAt(`${file}-wal`)];
  let running: Promise<void> | undefined;
  /** Resolves when the last step of a checkpoint has ended. Undefined if there is none. */
  let lastStep: Promise<unknown> | undefined;
  let notBefore = 0;
  let isClosed = false;

  async function checkpoint(): Promise<void> {
    try {
      await thread.run({ kind: 'checkpoint', whole: false });
      lastStep = thread.run({ kind: 'checkpoint', whole: true });
      await lastStep;
    } catch {
      // The log is tried again later. If the index is damaged, those who read it find that out.
    } finally {
      lastStep = undefined;
      notBefore = performance.now() + pauseMs;
      await thread.run({ kind: 'end' }).catch(() => undefined);
    }
  }

  return {
    /** Begins a checkpoint if the log has become large. Call it after each commit. Doesn't throw. */
    checkSize(): void {
      if (isClosed || running !== undefined || performance.now() < notBefore) return;
      notBefore = performance.now() + checkEveryMs;
      const { size = 0 } = statSync(`${file}-wal`, { throwIfNoEntry: false }) ?? {};
      // The thread opens the index by its path, where there may be another one by now.
      if (size < largestLogBytes || !isAtPath() || !isLogAtPath()) return;
      running = checkpoint().finally(() => (running = undefined));
    },

    /** Resolves once a write doesn't have to wait for the last step of a checkpoint. */
    async passed(): Promise<void> {
      while (lastStep !== undefined) await lastStep.catch(() => undefined);
    },

    /** Makes no more checkpoints. Resolves when the thread has ended. */
    async close(): Promise<void> {
      isClosed = true;
      await running;
      await thread.close();
    },
  };
}
