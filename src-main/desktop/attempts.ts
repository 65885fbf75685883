/** Whether something may be tried once more: at most `most` times in `withinMs`. Each true counts as a try. */
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
