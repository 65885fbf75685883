export interface PieceMark {
  readonly wall: number;
  readonly cpu: number;
  /** The total cost of the pieces that had ended when this piece started, in ms. */
  readonly pieces: number;
}

/** Returns CPU time in ms. On Windows, returns wall time, because CPU time there grows in steps of 16 ms. */
const cpuMs =
  process.platform === 'win32'
    ? () => performance.now()
    : () => {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1000;
      };

/**
 * The minimum time between two readings of CPU time, in ms, because each reading is a system call. Between two
 * readings, the time spent on work is estimated with `load`.
 */
const cpuEveryMs = 1;

/**
 * Creates a meter of how long work keeps the main thread busy, in ms. The result is the wall time, but at most the CPU
 * time of the process, so that waiting for a disk or a network costs nothing. Node's event loop utilization can't be used,
 * because Electron's event loop never idles in libuv.
 */
export function createWorkMeter() {
  let wallAt = performance.now();
  /** The time of the last reading of CPU time, and its result, both in ms. */
  let [readAt, cpuAt] = [wallAt, cpuMs()];
  /** The fraction of time spent on work, from 0 to 1, measured between the last two readings of CPU time. */
  let load = 1;
  /** The work counted since the last reading of CPU time, in ms. */
  let counted = 0;
  let pieces = 0;
  let piecesAt = 0;
  let underWay = 0;
  /**
   * The charge, in ms, for short work that has been in progress since the meter was created. The charge for any other
   * short work is the difference between `share` at its end and at its start.
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
    /**
     * Starts measuring short work. All short work in progress shares the busy time equally. Returns a mark for
     * `endShared`.
     */
    beginShared(): number {
      advance();
      underWay += 1;
      return share;
    },
    /** Stops measuring short work. Returns its share of the busy time since `mark`, in ms. */
    endShared(mark: number): number {
      advance();
      underWay -= 1;
      return share - mark;
    },
    /** Starts measuring a piece of long work. Returns a mark for `endPiece`. */
    beginPiece: (): PieceMark => ({ wall: performance.now(), cpu: cpuMs(), pieces }),
    /**
     * Stops measuring a piece of long work. Returns the time spent on the piece, in ms. None of this time is charged to
     * short work in progress.
     */
    endPiece(mark: PieceMark): number {
      const spent = Math.min(performance.now() - mark.wall, cpuMs() - mark.cpu) - (pieces - mark.pieces);
      const cost = Math.max(0, spent);
      pieces += cost;
      return cost;
    },
  };
}
