import { Type, type Static } from 'typebox';
import { choice, closed, Id, method, Moment, Nothing, orNull } from './shapes.ts';
import { MentionRecord } from './webmentions.ts';

const counts = {
  imported: Type.Integer(),
  updated: Type.Integer(),
  removed: Type.Integer(),
  total: Type.Integer(),
};

/**
 * The result of an import. `wouldRemove`: the number of mentions that the aggregator no longer lists, if they are too
 * many to remove without asking. `id`: for `applyRemovals` and `undoImport`; absent if there is nothing to remove.
 */
export const ImportCounts = closed({
  ...counts,
  targets: Type.Integer(),
  wouldRemove: Type.Optional(Type.Integer()),
  id: Type.Optional(Id),
});
export type ImportCounts = Static<typeof ImportCounts>;

/** The progress of an import. */
export const ImportProgress = closed({
  state: choice('running', 'done', 'failed'),
  /** The number of mentions read so far. */
  done: Type.Integer(),
  /** The total number of mentions; null if unknown. */
  total: orNull(Type.Integer()),
  /** What is happening, or why the import stopped, in words for the owner. */
  words: Type.String(),
});
export type ImportProgress = Static<typeof ImportProgress>;

/** The result of a finished import. `wouldRemove`: the number of mentions whose removal awaits the owner's decision. */
export const ImportRun = closed({
  ...counts,
  id: Id,
  at: Moment,
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
  /** Returns whether a token is stored, the progress of the current or latest import, and the last finished one. */
  'webmentions.importState': method(
    Nothing,
    closed({
      tokenStored: Type.Boolean(),
      progress: orNull(ImportProgress),
      last: orNull(ImportRun),
    }),
  ),
  /** Returns how many mentions an import updated, removed and would remove, with the first hundred of each. */
  'webmentions.importChanges': method(
    ById,
    closed({ updated: Listed, removed: Listed, wouldRemove: Listed }),
  ),
  /** Removes the mentions that an import kept because there were many. Returns how many. */
  'webmentions.applyRemovals': method(ById, closed({ removed: Type.Integer() })),
  /** Restores the mentions that an import removed. Returns how many it restored. */
  'webmentions.undoImport': method(ById, closed({ restored: Type.Integer() })),
};
