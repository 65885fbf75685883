/**
 * Holds back what changes the data folder, so that a copy of many files shows one moment. What is under way ends first,
 * what comes later waits, and nothing is acknowledged meanwhile. Each change stands between two others, so what a pause
 * finds on the disk is what a kill at that moment would leave: every store recovers from that.
 */

let pause: Promise<void> | undefined;
let underWay = 0;
let quiet: (() => void) | undefined;

/** Runs one change of the data folder, once no pause holds it back. Must not wait for another one. */
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

/** Runs `work` while nothing changes the data folder. `work` must not use `changing`. */
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
