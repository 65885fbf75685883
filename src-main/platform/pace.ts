/**
 * Splits long work into small pieces, so that it shares the main thread. Only a type: platform has no such work of its
 * own. http/visitor-cost.ts charges each piece to the visitor.
 */
export interface Pace {
  /**
   * Called between steps. Returns undefined to continue at once, or a promise that resolves when this work's turn comes
   * again.
   */
  step(): Promise<void> | undefined;
}
