/**
 * Measures how long work keeps the main thread busy, in ms. Event loop utilization would tell, but Electron's loop
 * never idles in libuv, so the bound is the process's own CPU time: waiting for a disk or a network costs nothing.
 */
export interface WorkMeter {
  /** Begins short work. What is spent is divided among the short works under way. Returns a mark for `endShared`. */
  beginShared(): number;
  /** Ends short work; returns its part of what was spent since the mark. */
  endShared(mark: number): number;
  /** Begins a piece of long work. */
  beginPiece(): PieceMark;
  /** Ends a piece; returns all that was spent on it. Short works under way do not pay for it. */
  endPiece(mark: PieceMark): number;
}

export interface PieceMark {
  readonly wall: number;
  readonly cpu: number;
  /** What pieces had cost in total when this one began. */
  readonly pieces: number;
}

/** Windows counts CPU time in steps of 16 ms, which is too coarse to be a bound. */
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
  /** What each of the short works would have paid, had it been under way from the start. */
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
