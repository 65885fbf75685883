import { randomUUID } from 'node:crypto';
import { PorchlightError } from '../contract/error.ts';
import type { Decided } from '../mentions/mention-store.ts';

/**
 * The most undos to keep. The window offers each for only a few seconds, so few are needed. Each holds up to 200
 * mentions.
 */
const mostUndos = 50;

/** The decisions that the owner can still undo, kept in memory. */
export interface UndoList {
  /** Remembers decisions that were made together. Returns the id to undo them with; null if nothing changed. */
  add(decided: readonly Decided[]): string | null;
  /**
   * Returns the decisions with this id and forgets them.
   * @throws PorchlightError `not_found` (404).
   */
  take(id: string): readonly Decided[];
}

/** Creates an empty list. */
export function createUndoList(): UndoList {
  const undos = new Map<string, readonly Decided[]>();
  return {
    add(decided) {
      if (decided.length === 0) return null;
      const id = randomUUID();
      undos.set(id, decided);
      for (const oldest of undos.keys()) if (undos.size > mostUndos) undos.delete(oldest);
      return id;
    },
    take(id) {
      const decided = undos.get(id);
      if (!decided) throw new PorchlightError('not_found', 'It is too late to undo this.', 404);
      undos.delete(id);
      return decided;
    },
  };
}
