import { Type, type Static } from 'typebox';
import { PostKind } from './posts.ts';
import { choice, closed, DiskPath, Id, method, Moment, Nothing, orNull } from './shapes.ts';

const archiveFormats = ['porchlight', 'mastodon', 'twitter', 'wxr', 'microblog', 'markdown'] as const;

/** The formats of archives from which posts can be imported. */
export const ArchiveFormat = choice(...archiveFormats);
export type ArchiveFormat = Static<typeof ArchiveFormat>;

/** The name of each format, with its article. */
export const archiveNames: Readonly<Record<ArchiveFormat, string>> = {
  porchlight: 'an export of Porchlight',
  mastodon: 'a Mastodon archive',
  twitter: 'a Twitter archive',
  wxr: 'a WordPress export',
  microblog: 'a micro.blog archive',
  markdown: 'Markdown files',
};

const WishedFormat = choice('auto', ...archiveFormats);

const Count = Type.Integer({ minimum: 0 });

/**
 * A part of an archive that was skipped, or a post or file that an undo didn't delete. `what`: the title, first words,
 * URL or file name. `why`: the reason.
 */
export const SkippedPart = closed({ what: Type.String(), why: Type.String() });
export type SkippedPart = Static<typeof SkippedPart>;

/** A post that can't be imported whole. `what`: its title or first words. `lost`: what is missing from it. */
export const ImportLoss = closed({ what: Type.String(), lost: Type.Array(Type.String()) });
export type ImportLoss = Static<typeof ImportLoss>;

/** An example of a converted post. `text`: the post's first words. `published`: null if the post has no date. */
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
  /**
   * `checked`: the result of a dry run. `cancelled`: the owner stopped the import. The posts and files that had been
   * imported by then are kept.
   */
  state: choice('checked', 'done', 'cancelled'),
  /** The number of posts in the archive, including those that were skipped. */
  found: Count,
  /** The number of posts that this run imported; 0 after a dry run. */
  imported: Count,
  /** The number of imported posts of each kind. After a dry run: the number of posts that would be imported. */
  kinds: Type.Array(closed({ kind: PostKind, count: Count })),
  /**
   * The number of pictures and other files that belong to the posts in `kinds`, and of the other files of an export of
   * Porchlight.
   */
  files: Count,
  /**
   * The number of mentions and of site pages that were imported. After a dry run: the number that would be imported.
   * Only an export of Porchlight has any, and the comments of a WordPress export are mentions.
   */
  mentions: Count,
  pages: Count,
  /**
   * The skipped parts. A long list is truncated. `reasons`: for each reason, the total number of skipped parts,
   * including those that are missing from the list.
   */
  skipped: Type.Array(SkippedPart),
  reasons: Type.Array(closed({ why: Type.String(), count: Count })),
  /** The posts in `kinds` that lose something. A long list is truncated. `lossCount`: their total number. */
  losses: Type.Array(ImportLoss),
  lossCount: Count,
  samples: Type.Array(ImportSample),
});
export type ImportReport = Static<typeof ImportReport>;

/** The progress of an import or its undo. `total`: 0 while unknown. */
export const PostImportProgress = closed({
  id: Id,
  state: choice('checking', 'importing', 'undoing', 'done', 'cancelled', 'failed'),
  /** The number of posts processed so far: read (while `checking`), imported or deleted. */
  done: Count,
  total: Count,
  words: Type.String(),
});
export type PostImportProgress = Static<typeof PostImportProgress>;

/**
 * An import that is running or has ended. `interrupted`: Porchlight stopped before the import ended. `posts`, `files`,
 * `mentions`, `pages`: the number of items that the import added.
 */
export const PastImport = closed({
  id: Id,
  at: Moment,
  path: Type.String(),
  /** Whether the owner uploaded the archive, which is gone then. Only its name means anything to the owner. */
  isUpload: Type.Optional(Type.Boolean()),
  format: ArchiveFormat,
  state: choice('running', 'done', 'cancelled', 'interrupted', 'undone'),
  posts: Count,
  files: Count,
  mentions: Count,
  pages: Count,
  /** Whether the owner said that the export is their own; see `posts.import`. */
  ownExport: Type.Boolean(),
});
export type PastImport = Static<typeof PastImport>;

export const postImportMethods = {
  /**
   * Imports posts from an archive on this computer, without notifying any other site. Skips posts that an earlier
   * import added. To continue a cancelled or interrupted import, make the same call again. With `dryRun`, changes
   * nothing and returns the expected result. With `ownExport`, the owner says that an export of Porchlight is their own:
   * its mentions keep their status. Otherwise, they wait for the owner's approval, because anybody can write such a file.
   * Comments of other archives always wait.
   * @throws archive_unknown, archive_broken, not_found, busy (409) while another import runs
   */
  'posts.import': method(
    closed({
      path: DiskPath,
      format: WishedFormat,
      dryRun: Type.Optional(Type.Boolean()),
      ownExport: Type.Optional(Type.Boolean()),
    }),
    ImportReport,
  ),
  /**
   * Stops the running import, and keeps the posts that have been imported so far. If `id` is given, stops only the
   * import with this ID.
   */
  'posts.cancelImport': method(closed({ id: Type.Optional(Id) }), closed({ cancelled: Type.Boolean() })),
  /**
   * Approves the comments that an import added, if they still wait. That makes none of their authors known. `approved`: how
   * many these were.
   * @throws not_found
   */
  'posts.approveImport': method(closed({ id: Id }), closed({ approved: Count })),
  /**
   * Deletes the posts, files, mentions and pages that an import added. Keeps what has changed since, and files that are
   * used elsewhere. Comments that were only approved count as unchanged. `kept`: the items that were not deleted; a long list is truncated. `keptCount`: how many items were
   * kept in total.
   */
  'posts.undoImport': method(
    closed({ id: Id }),
    closed({
      deleted: Count,
      files: Count,
      mentions: Count,
      pages: Count,
      kept: Type.Array(SkippedPart),
      keptCount: Count,
    }),
  ),
  /**
   * Lists past imports, newest first. Also returns the progress of the newest import or undo since Porchlight started.
   */
  'posts.imports': method(
    Nothing,
    closed({ items: Type.Array(PastImport), progress: orNull(PostImportProgress) }),
  ),
};
