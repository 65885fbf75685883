/**
 * Divides long work into small steps, so that the main thread can do other work between them. The implementation in
 * http/visitor-cost.ts charges each step to the visitor.
 */
export interface Pace {
  /**
   * Called between steps. Returns undefined if the work can continue at once, or a promise that resolves when it can
   * continue.
   */
  step(): Promise<void> | undefined;
}
