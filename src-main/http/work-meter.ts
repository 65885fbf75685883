/**
 * Measures how long work keeps the main thread busy, in ms. Node's event loop utilization does not work in Electron,
 * whose loop never idles in libuv. The measure is therefore wall time, capped at the process's CPU time, so that
 * waiting for a disk or a network costs nothing.
 */
export interface WorkMeter {
  /**
   * Starts measuring short work. Busy time is divided equally among all short work in progress. Returns a start mark,
   * to be passed to `endShared`.
   */
  beginShared(): number;
  /** Stops measuring short work. Returns the part of the busy time since `mark` that belongs to this work, in ms. */
  endShared(mark: number): number;
  /** Starts measuring a piece of long work. Returns a start mark, to be passed to `endPiece`. */
  beginPiece(): PieceMark;
  /**
   * Stops measuring a piece of long work. Returns all the time spent on the piece, in ms. That time is not charged to
   * short work in progress.
   */
  endPiece(mark: PieceMark): number;
}

export interface PieceMark {
  readonly wall: number;
  readonly cpu: number;
  /** The total cost of all pieces that had ended when this piece started, in ms. */
  readonly pieces: number;
}

/**
 * Returns CPU time in ms. On Windows, returns wall time, because CPU time grows in steps of 16 ms there, which is too
 * coarse.
 */
const cpuMs =
  process.platform === 'win32'
    ? () => performance.now()
    : () => {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1000;
      };

/**
 * The minimum time between two readings of CPU time, in ms, because each reading is a system call. Between two
 * readings, the last known fraction of work (`load`) is used.
 */
const cpuEveryMs = 1;

export function createWorkMeter(): WorkMeter {
  let wallAt = performance.now();
  /** The time of the last reading of CPU time, and the CPU time read, both in ms. */
  let [readAt, cpuAt] = [wallAt, cpuMs()];
  /** The fraction of the time between the last two readings that was work, from 0 to 1. */
  let load = 1;
  /** The work counted since the last reading of CPU time, in ms. */
  let counted = 0;
  let pieces = 0;
  let piecesAt = 0;
  let underWay = 0;
  /**
   * The time, in ms, that would be charged for short work that has been in progress since the meter was created. The
   * charge for actual short work is the difference between the values of `share` at its end and at its start.
   */
  let share = 0;

  function advance(): void {
    const wall = performance.now();
    let spent = (wall - wallAt) * load;
    if (wall - readAt < cpuEveryMs) counted += spent;
    else {
      const cpu = cpuMs();
      const worked = Math.min(wall - readAt, cpu - cpuAt);
      spent = Math.min(wall - wallAt, worked - counted);
      load = worked / (wall - readAt);
      [readAt, cpuAt, counted] = [wall, cpu, 0];
    }
    spent -= pieces - piecesAt;
    if (underWay > 0 && spent > 0) share += spent / underWay;
    [wallAt, piecesAt] = [wall, pieces];
  }

  return {
    beginShared() {
      advance();
      underWay += 1;
      return share;
    },
    endShared(mark) {
      advance();
      underWay -= 1;
      return share - mark;
    },
    beginPiece: () => ({ wall: performance.now(), cpu: cpuMs(), pieces }),
    endPiece(mark) {
      const spent = Math.min(performance.now() - mark.wall, cpuMs() - mark.cpu) - (pieces - mark.pieces);
      const cost = Math.max(0, spent);
      pieces += cost;
      return cost;
    },
  };
}
