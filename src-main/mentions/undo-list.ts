import { randomUUID } from 'node:crypto';
import { PorchlightError } from '../contract/error.ts';
import type { Decided } from './mention-store.ts';

/**
 * The maximum number of actions that the owner can undo. Each action covers up to 200 mentions. The window offers each
 * undo for only a few seconds.
 */
const mostUndos = 50;

/** Creates a list of the decisions that the owner can still undo, in memory. */
export function createUndoList() {
  const undos = new Map<string, readonly Decided[]>();
  return {
    /** Stores decisions that were made together. Returns an id for undoing them; null if nothing changed. */
    add(decided: readonly Decided[]): string | null {
      if (decided.length === 0) return null;
      const id = randomUUID();
      undos.set(id, decided);
      for (const oldest of undos.keys()) if (undos.size > mostUndos) undos.delete(oldest);
      return id;
    },
    /**
     * Returns the decisions with this id and forgets them.
     * @throws PorchlightError `not_found` (404).
     */
    take(id: string): readonly Decided[] {
      const decided = undos.get(id);
      if (!decided) throw new PorchlightError('not_found', 'It is too late to undo this.', 404);
      undos.delete(id);
      return decided;
    },
  };
}
