/**
 * Returns a function that reports whether another attempt is allowed, and if so, counts the attempt. At most `most`
 * attempts are allowed within `withinMs` milliseconds.
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
