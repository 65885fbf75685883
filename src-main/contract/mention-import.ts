import { Type, type Static } from 'typebox';
import { method } from './method.ts';
import { choice, closed, Id, Moment, Nothing } from './shapes.ts';
import { MentionRecord } from './webmentions.ts';

export const ImportCounts = closed({
  imported: Type.Integer(),
  updated: Type.Integer(),
  removed: Type.Integer(),
  targets: Type.Integer(),
  total: Type.Integer(),
  /**
   * The number of mentions that the aggregator no longer lists, if they are too many to remove without asking; absent
   * if there are none.
   */
  wouldRemove: Type.Optional(Type.Integer()),
  /**
   * The id of the import for `applyRemovals` and `undoImport`; present if the import removed mentions or would remove
   * some.
   */
  id: Type.Optional(Id),
});
export type ImportCounts = Static<typeof ImportCounts>;

/** The progress of an import. */
export const ImportProgress = closed({
  state: choice('running', 'done', 'failed'),
  /** The number of mentions read so far. */
  done: Type.Integer(),
  /** The total number of mentions; null if unknown. */
  total: Type.Union([Type.Integer(), Type.Null()]),
  /** What is happening, or why the import stopped, in words for the owner. */
  words: Type.String(),
});
export type ImportProgress = Static<typeof ImportProgress>;

/** The result of a finished import. `wouldRemove`: the number of mentions whose removal awaits the owner's decision. */
export const ImportRun = closed({
  id: Id,
  at: Moment,
  imported: Type.Integer(),
  updated: Type.Integer(),
  removed: Type.Integer(),
  total: Type.Integer(),
  wouldRemove: Type.Integer(),
});
export type ImportRun = Static<typeof ImportRun>;

const ById = closed({ id: Id });
const Listed = closed({ count: Type.Integer(), mentions: Type.Array(MentionRecord) });

export const mentionImportMethods = {
  /** Imports mentions from the aggregator. Stores a given token once the aggregator has accepted it. */
  'webmentions.import': method(
    closed({ aggregatorToken: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })) }),
    ImportCounts,
  ),
  /**
   * Returns whether a token is stored, the progress of the current import (or of the last one since Porchlight
   * started), and the last finished import.
   */
  'webmentions.importState': method(
    Nothing,
    closed({
      tokenStored: Type.Boolean(),
      progress: Type.Union([ImportProgress, Type.Null()]),
      last: Type.Union([ImportRun, Type.Null()]),
    }),
  ),
  /** Returns how many mentions an import updated, removed and would remove, with the first hundred of each. */
  'webmentions.importChanges': method(
    ById,
    closed({ updated: Listed, removed: Listed, wouldRemove: Listed }),
  ),
  /**
   * Removes the mentions that an import kept because they were too many to remove without asking. Returns how many it
   * removed.
   */
  'webmentions.applyRemovals': method(ById, closed({ removed: Type.Integer() })),
  /** Restores the mentions that an import removed. Returns how many it restored. */
  'webmentions.undoImport': method(ById, closed({ restored: Type.Integer() })),
};
