/**
 * Returns a function that tells whether another attempt is allowed: at most `most` in `withinMs`. Each call that
 * returns true is counted as an attempt.
 */
export function limitAttempts(most: number, withinMs: number, now: () => number = Date.now): () => boolean {
  let tries: number[] = [];
  return () => {
    const moment = now();
    tries = tries.filter((at) => moment - at < withinMs);
    if (tries.length >= most) return false;
    tries.push(moment);
    return true;
  };
}
