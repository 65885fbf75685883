/**
 * Delays changes to the data folder, so that a copy of many files shows all of them as they were at one moment. Changes
 * in progress finish first, and later changes wait until the pause ends. During a pause, the files are in the same
 * state as if the process had been killed between two changes. Every store can recover from that state.
 */

let pause: Promise<void> | undefined;
let underWay = 0;
let quiet: (() => void) | undefined;

/** Runs one change to the data folder, after any pause has ended. `work` must not wait for another change. */
export async function changing<T>(work: () => Promise<T>): Promise<T> {
  while (pause !== undefined) await pause;
  underWay += 1;
  try {
    return await work();
  } finally {
    underWay -= 1;
    if (underWay === 0) quiet?.();
  }
}

/** Runs `work` while nothing changes the data folder. `work` must not call `changing`. */
export async function whilePaused<T>(work: () => Promise<T>): Promise<T> {
  while (pause !== undefined) await pause;
  let release: () => void = () => undefined;
  pause = new Promise((resolve) => {
    release = resolve;
  });
  try {
    if (underWay > 0)
      await new Promise<void>((resolve) => {
        quiet = resolve;
      });
    return await work();
  } finally {
    quiet = undefined;
    pause = undefined;
    release();
  }
}
