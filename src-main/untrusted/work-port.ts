import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { LongTask } from '../storage/pacing.ts';

/** What a thread tells of a long operation: the arguments of `Work.progress`. */
type Progress = Parameters<LongTask['progress']>;

/**
 * Returns a port through which a thread reports the progress of a long operation, and learns that it was cancelled. Pass
 * the port to the thread, and call `close` once the operation has ended.
 */
export function portOf(work: LongTask): { readonly port: MessagePort; readonly close: () => void } {
  const { port1: here, port2: port } = new MessageChannel();
  const cancel = () => here.postMessage('cancel');
  here.on('message', (progress: Progress) => work.progress(...progress));
  // The thread's job keeps the process alive.
  here.unref();
  if (work.signal.aborted) cancel();
  work.signal.addEventListener('abort', cancel, { once: true });
  return {
    port,
    close() {
      work.signal.removeEventListener('abort', cancel);
      here.close();
    },
  };
}

/** Runs `run` in a thread, with the long operation at the other end of a port. */
export async function withPort<T>(port: MessagePort, run: (work: LongTask) => Promise<T>): Promise<T> {
  const cancelled = new AbortController();
  port.on('message', () => cancelled.abort());
  try {
    return await run({
      signal: cancelled.signal,
      progress: (...progress: Progress) => port.postMessage(progress),
    });
  } finally {
    port.close();
  }
}
