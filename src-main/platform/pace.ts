/**
 * Lets long work go on in small pieces, so that it shares the main thread. Types only: platform has no work of its
 * own; http/visitor-cost.ts makes the visitor pay for each piece.
 */
export interface Pace {
  /** Called between steps: undefined to go on at once, else a promise that resolves when it is this work's turn again. */
  step(): Promise<void> | undefined;
}
