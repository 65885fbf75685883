/**
 * Measures how long work keeps the main thread busy, in ms. Event loop utilization would show it, but Electron's loop
 * never idles in libuv. The measure is therefore wall time, capped at the process's own CPU time, so waiting for a disk
 * or a network costs nothing.
 */
export interface WorkMeter {
  /** Begins short work. Time is divided equally among all short work in progress. Returns a mark for `endShared`. */
  beginShared(): number;
  /** Ends short work. Returns its share of the time used since the mark, in ms. */
  endShared(mark: number): number;
  /** Begins a piece of long work. */
  beginPiece(): PieceMark;
  /** Ends a piece. Returns all the time used on it, in ms. Short work in progress is not charged for this time. */
  endPiece(mark: PieceMark): number;
}

export interface PieceMark {
  readonly wall: number;
  readonly cpu: number;
  /** The total cost of all pieces when this one began, in ms. */
  readonly pieces: number;
}

/** CPU time in ms. Windows counts CPU time in steps of 16 ms, which is too coarse, so wall time is used there. */
const cpuMs =
  process.platform === 'win32'
    ? () => performance.now()
    : () => {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1000;
      };

export function createWorkMeter(): WorkMeter {
  let wallAt = performance.now();
  let cpuAt = cpuMs();
  let pieces = 0;
  let piecesAt = 0;
  let underWay = 0;
  /** The total share so far of short work that has been in progress from the start, in ms. */
  let share = 0;

  function advance(): void {
    const [wall, cpu] = [performance.now(), cpuMs()];
    const spent = Math.min(wall - wallAt, cpu - cpuAt) - (pieces - piecesAt);
    if (underWay > 0 && spent > 0) share += spent / underWay;
    [wallAt, cpuAt, piecesAt] = [wall, cpu, pieces];
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
