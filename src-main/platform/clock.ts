/**
 * Returns the current time, in ms since the Unix epoch. Code that depends on time takes a Clock, so that tests can set
 * the time.
 */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
