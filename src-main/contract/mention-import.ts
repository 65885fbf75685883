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
 * The result of an import from the aggregator (a service that collects mentions, such as webmention.io). `wouldRemove`:
 * the number of mentions that the aggregator no longer lists, if there are too many to remove without asking; otherwise
 * absent. `id`: identifies the import in `applyRemovals` and `undoImport`; present only if the import removed mentions,
 * or if `wouldRemove` is present.
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
  /** The total number of mentions; null while unknown. */
  total: orNull(Type.Integer()),
  /** The current step, or the reason why the import stopped, as text for the owner. */
  words: Type.String(),
});
export type ImportProgress = Static<typeof ImportProgress>;

/** The result of a finished import. `wouldRemove`: the number of mentions that are removed only if the owner agrees. */
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
  /**
   * Imports mentions from the aggregator. If a token is given, stores the token after the aggregator has accepted it.
   */
  'webmentions.import': method(
    closed({ aggregatorToken: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })) }),
    ImportCounts,
  ),
  /**
   * Returns whether a token is stored, the progress of the current or latest import, and the result of the latest
   * finished import.
   */
  'webmentions.importState': method(
    Nothing,
    closed({
      tokenStored: Type.Boolean(),
      progress: orNull(ImportProgress),
      last: orNull(ImportRun),
    }),
  ),
  /**
   * Returns the mentions that an import updated, removed, or would remove if the owner agrees. For each group: the
   * total count and the first 100 mentions.
   */
  'webmentions.importChanges': method(
    ById,
    closed({ updated: Listed, removed: Listed, wouldRemove: Listed }),
  ),
  /**
   * Removes the mentions that an import did not remove because there were too many to remove without asking. Returns
   * the number of removed mentions.
   */
  'webmentions.applyRemovals': method(ById, closed({ removed: Type.Integer() })),
  /** Restores the mentions that an import removed. Returns the number of restored mentions. */
  'webmentions.undoImport': method(ById, closed({ restored: Type.Integer() })),
};
