/**
 * Measures how long work keeps the main thread busy, in ms. Node's event loop utilization does not work in Electron,
 * whose loop never idles in libuv. The measure is therefore wall time, capped at the process's CPU time, so waiting for
 * a disk or a network costs nothing.
 */
export interface WorkMeter {
  /**
   * Begins short work. Time is divided equally among all short work in progress. Returns a start mark, to be passed to
   * `endShared`.
   */
  beginShared(): number;
  /** Ends short work. Returns its share of the time used since it began (`mark`), in ms. */
  endShared(mark: number): number;
  /** Begins a piece of long work. Returns a start mark, to be passed to `endPiece`. */
  beginPiece(): PieceMark;
  /**
   * Ends a piece of long work. Returns all the time used on it, in ms. That time is not charged to short work in
   * progress.
   */
  endPiece(mark: PieceMark): number;
}

export interface PieceMark {
  readonly wall: number;
  readonly cpu: number;
  /** The total cost of all pieces that had ended when this piece began, in ms. */
  readonly pieces: number;
}

/** Returns CPU time in ms. On Windows, returns wall time, because steps of 16 ms make CPU time too coarse. */
const cpuMs =
  process.platform === 'win32'
    ? () => performance.now()
    : () => {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1000;
      };

/**
 * CPU time is read at most this often, in ms, because each read is a system call. In between, the last reading tells
 * which part of the time is work.
 */
const cpuEveryMs = 1;

export function createWorkMeter(): WorkMeter {
  let wallAt = performance.now();
  /** When CPU time was last read, in ms, and what it was. */
  let [readAt, cpuAt] = [wallAt, cpuMs()];
  /** Which part of the time was work between the last two readings, from 0 to 1. */
  let load = 1;
  /** The work counted since the last reading, in ms. */
  let counted = 0;
  let pieces = 0;
  let piecesAt = 0;
  let underWay = 0;
  /** What a piece of short work would have been charged if it had been in progress since the meter was created, in ms. */
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
