/** The size of a block of memory, in bytes. */
export const blockBytes = 1024 * 1024;
/** How many blocks all uploads may use at the same time. */
const mostBlocks = 16;
/** How long unused blocks are kept, in ms. */
const idleMs = 60_000;

const free: Buffer[] = [];
let used = 0;
let idle: NodeJS.Timeout | undefined;

/**
 * Returns a block of memory for receiving a small file; undefined if too many are in use. Its content is arbitrary.
 * Blocks are used again, because a new buffer for each file would keep the garbage collector busy.
 */
export function takeBlock(): Buffer | undefined {
  if (used >= mostBlocks) return undefined;
  used += 1;
  return free.pop() ?? Buffer.allocUnsafeSlow(blockBytes);
}

/** Makes a block available to others. Nothing may refer to its content any more. */
export function giveBack(block: Buffer): void {
  used -= 1;
  free.push(block);
  idle ??= setTimeout(() => {
    free.length = 0;
    idle = undefined;
  }, idleMs).unref();
  idle.refresh();
}
