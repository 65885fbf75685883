/**
 * Splits long work into small steps, so that other work on the main thread gets its turn. Only a type: nothing in
 * platform does such work. http/visitor-cost.ts charges each step to the visitor.
 */
export interface Pace {
  /**
   * Called between steps. Returns undefined to continue at once, or a promise that resolves when this work's turn comes
   * again.
   */
  step(): Promise<void> | undefined;
}
