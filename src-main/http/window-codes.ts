import { secretHash, newSecretText } from '../platform/secret-text.ts';

/** The single-use codes in links that open the owner's window. */
export interface WindowCodes {
  create(): string;
  /** Returns whether the code is valid, and makes it invalid. */
  redeem(code: string): boolean;
}

/** How long a code is valid, in ms: enough time to copy a link from a terminal to a browser. */
const goodForMs = 120_000;
const mostWaiting = 20;

/** Creates a set of single-use codes. `now`: returns the time in ms. */
export function createWindowCodes(now: () => number = Date.now): WindowCodes {
  const goodUntil = new Map<string, number>();
  return {
    create() {
      const code = newSecretText();
      goodUntil.set(secretHash(code), now() + goodForMs);
      for (const hash of [...goodUntil.keys()].slice(0, -mostWaiting)) goodUntil.delete(hash);
      return code;
    },
    redeem(code) {
      const hash = secretHash(code);
      const until = goodUntil.get(hash);
      goodUntil.delete(hash);
      return until !== undefined && now() < until;
    },
  };
}
