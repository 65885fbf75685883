import { Type, type Static } from 'typebox';
import { method } from './method.ts';
import { Id, Moment, Nothing, closed } from './shapes.ts';
import { MentionRecord } from './webmentions.ts';

export const ImportCounts = closed({
  imported: Type.Integer(),
  updated: Type.Integer(),
  removed: Type.Integer(),
  targets: Type.Integer(),
  total: Type.Integer(),
  /** Mentions that the aggregator no longer lists, too many to remove without asking; absent where none. */
  wouldRemove: Type.Optional(Type.Integer()),
  /** Names the run for `applyRemovals` and `undoImport`; present where it removed mentions or would. */
  id: Type.Optional(Id),
});
export type ImportCounts = Static<typeof ImportCounts>;

/** How an import is going. */
export const ImportProgress = closed({
  state: Type.Union([Type.Literal('running'), Type.Literal('done'), Type.Literal('failed')]),
  /** Mentions seen so far. */
  done: Type.Integer(),
  /** How many there are, where that is known. */
  total: Type.Union([Type.Integer(), Type.Null()]),
  /** In words: what is happening, or why it stopped. */
  words: Type.String(),
});
export type ImportProgress = Static<typeof ImportProgress>;

/** What an import that finished did. `wouldRemove`: mentions whose removal waits for the owner's answer. */
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
  /** Imports from the aggregator. A given token is stored once the aggregator has accepted it. */
  'webmentions.import': method(
    closed({ aggregatorToken: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })) }),
    ImportCounts,
  ),
  /** Returns whether a token is stored, the progress of the import since the start, and the last run that finished. */
  'webmentions.importState': method(
    Nothing,
    closed({
      tokenStored: Type.Boolean(),
      progress: Type.Union([ImportProgress, Type.Null()]),
      last: Type.Union([ImportRun, Type.Null()]),
    }),
  ),
  /** Returns how many mentions a run changed, removed and would remove, and the first hundred of each. */
  'webmentions.importChanges': method(
    ById,
    closed({ updated: Listed, removed: Listed, wouldRemove: Listed }),
  ),
  /** Removes the mentions that a run left because there were so many; answers how many. */
  'webmentions.applyRemovals': method(ById, closed({ removed: Type.Integer() })),
  /** Brings back the mentions that a run removed; answers how many. */
  'webmentions.undoImport': method(ById, closed({ restored: Type.Integer() })),
};
