/** Returns a function that allows (and counts) another attempt: at most `most` in `withinMs`. */
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
