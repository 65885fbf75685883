import { Type, type Static } from 'typebox';
import { PostKind } from './posts.ts';
import { choice, closed, Id, method, Moment, Nothing, orNull } from './shapes.ts';

const archiveFormats = ['mastodon', 'twitter', 'wxr', 'microblog', 'markdown'] as const;

/** The formats of archives that posts are imported from. */
export const ArchiveFormat = choice(...archiveFormats);
export type ArchiveFormat = Static<typeof ArchiveFormat>;

const WishedFormat = choice('auto', ...archiveFormats);

/** The path of a file or folder on this computer. */
const Path = Type.String({ minLength: 1, maxLength: 4096, pattern: '^[^\\0]+$' });
const Count = Type.Integer({ minimum: 0 });

/** A part of an archive that is not imported. `what`: its title, its first words or its file. */
export const SkippedPart = closed({ what: Type.String(), why: Type.String() });
export type SkippedPart = Static<typeof SkippedPart>;

/** A post as the import converts it. `text`: its first words. `published`: null if it has no date. */
export const ImportSample = closed({
  kind: PostKind,
  name: Type.String(),
  text: Type.String(),
  published: orNull(Type.String()),
  categories: Type.Array(Type.String()),
  files: Count,
  /** The post's original URL; null if it has none. */
  original: orNull(Type.String()),
});
export type ImportSample = Static<typeof ImportSample>;

export const ImportReport = closed({
  id: Id,
  format: ArchiveFormat,
  /** `checked`: after a dry run. A cancelled import keeps what it has imported. */
  state: choice('checked', 'done', 'cancelled'),
  /** The number of posts in the archive, including those that were skipped. */
  found: Count,
  /** The number of posts that this run imported; 0 after a dry run. */
  imported: Count,
  /** The number of posts that are imported, by kind. After a dry run: that would be. */
  kinds: Type.Array(closed({ kind: PostKind, count: Count })),
  /** The number of pictures and other files of those posts that the archive contains. */
  files: Count,
  /** What was skipped: the first entries, and a count for each reason. */
  skipped: Type.Array(SkippedPart),
  reasons: Type.Array(closed({ why: Type.String(), count: Count })),
  samples: Type.Array(ImportSample),
});
export type ImportReport = Static<typeof ImportReport>;

/** The progress of a running import or undo. `total`: 0 while it is unknown. */
export const PostImportProgress = closed({
  id: Id,
  state: choice('checking', 'importing', 'undoing', 'done', 'cancelled', 'failed'),
  /** Posts read so far (`checking`), or posts done. */
  done: Count,
  total: Count,
  words: Type.String(),
});
export type PostImportProgress = Static<typeof PostImportProgress>;

/** An import that has run. `interrupted`: Porchlight stopped before it ended. `posts`, `files`: what it added. */
export const PastImport = closed({
  id: Id,
  at: Moment,
  path: Type.String(),
  format: ArchiveFormat,
  state: choice('running', 'done', 'cancelled', 'interrupted', 'undone'),
  posts: Count,
  files: Count,
});
export type PastImport = Static<typeof PastImport>;

export const postImportMethods = {
  /**
   * Imports the posts of an archive on this computer, without notifying any other site. Leaves out posts that an
   * earlier run imported. The same call continues a run that was cancelled or interrupted. With `dryRun`, changes
   * nothing and returns what the import would do.
   * @throws archive_unknown, archive_broken, not_found, busy (409) while another import runs
   */
  'posts.import': method(
    closed({ path: Path, format: WishedFormat, dryRun: Type.Optional(Type.Boolean()) }),
    ImportReport,
  ),
  /** Stops the running import, or only the one with this `id`. It keeps what it has imported. */
  'posts.cancelImport': method(closed({ id: Type.Optional(Id) }), closed({ cancelled: Type.Boolean() })),
  /**
   * Deletes the posts that an import created, and the files that it added, except those that the owner has changed or
   * uses elsewhere. `kept`: the first of these exceptions.
   */
  'posts.undoImport': method(
    closed({ id: Id }),
    closed({ deleted: Count, files: Count, kept: Type.Array(SkippedPart), keptCount: Count }),
  ),
  /** Lists the imports so far, newest first, and the progress of the current or latest one since the start. */
  'posts.imports': method(
    Nothing,
    closed({ items: Type.Array(PastImport), progress: orNull(PostImportProgress) }),
  ),
};
