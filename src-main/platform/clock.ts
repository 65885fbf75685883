/** Milliseconds since the Unix epoch. Passed in wherever time decides, so that tests can say what time it is. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
