/** Random choices that a seed decides: the same seed gives the same choices. */
export interface Random {
  /** A number from 0 up to 1, without 1. */
  next(): number;
  /** A whole number from 0 up to `limit`, without `limit`. */
  below(limit: number): number;
  /** True with this probability (0 to 1). */
  chance(probability: number): boolean;
  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T;
  bytes(length: number): Buffer;
  /** Hexadecimal digits. */
  hex(length: number): string;
}

/** Creates the choices of a seed (mulberry32 of Tommy Ettinger; public domain). */
function randomOf(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: <T>(list: readonly T[]) => list[below(list.length)] as T,
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
    hex: (length) => Array.from({ length }, () => below(16).toString(16)).join(''),
  };
}

/** The choices of the request with this number, whatever was drawn for the ones before it. */
export function randomOfRequest(seed: number, number: number): Random {
  const mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35);
  return randomOf(mixed);
}
