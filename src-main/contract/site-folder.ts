import { Type, type Static } from 'typebox';
import { PostKind } from './posts.ts';
import { choice, closed, Id, method, Moment, Nothing, orNull } from './shapes.ts';

/** The programs that build a site from a folder. `custom`: any other; the owner writes the templates. */
export const Generator = choice('hugo', 'jekyll', 'eleventy', 'astro', 'zola', 'custom');
export type Generator = Static<typeof Generator>;

/** The generators as their authors write their names. */
export const generatorNames: Readonly<Record<Generator, string>> = {
  hugo: 'Hugo',
  jekyll: 'Jekyll',
  eleventy: 'Eleventy',
  astro: 'Astro',
  zola: 'Zola',
  custom: 'Another generator',
};

/**
 * A path in the folder, or a URL path, with the placeholders {yyyy} {mm} {dd} {slug} {kind}. Templates of media files
 * use {file} in place of {slug}. Empty until the folder is set up.
 */
const Template = Type.String({ maxLength: 500 });

/** The folder from which the owner's own site is built. Empty text means not given. */
export const SiteFolderSettings = closed({
  on: Type.Boolean(),
  /** The full path of the folder. */
  path: Type.String({ maxLength: 4096 }),
  generator: Generator,
  /** The address of the site, with its path: `https://example.com/` or `https://example.com/blog/`. */
  baseUrl: Type.String({ maxLength: 2048 }),
  /** The file of a post, such as `content/posts/{yyyy}-{mm}-{dd}-{slug}.md`. */
  postFile: Template,
  /** The URL of a post below `baseUrl`, such as `posts/{slug}/`. */
  postUrl: Template,
  mediaFile: Template,
  mediaUrl: Template,
  /** Where the photos, videos and recordings of posts are: in the folder, or on this server. */
  media: choice('folder', 'porch'),
  /** Whether mentions are written to the generator's data folder. */
  mentions: choice('off', 'data'),
  /** Whether changes are committed to git, and whether commits are pushed. `push` needs `commit`. */
  commit: Type.Boolean(),
  push: Type.Boolean(),
  branch: Type.String({ maxLength: 250 }),
  remote: Type.String({ maxLength: 250 }),
  /** Whether posts that were already in the folder are shown to apps and receive mentions. */
  adopt: Type.Boolean(),
});
export type SiteFolderSettings = Static<typeof SiteFolderSettings>;

/** The git repository that holds a folder. `words`: why commits or pushes aren't possible, if they aren't. */
const FoundRepository = closed({
  /** Null if no branch is checked out. */
  branch: orNull(Type.String()),
  remotes: Type.Array(Type.String()),
  /** The remote to which the branch is pushed; null if there is none. */
  remote: orNull(Type.String()),
  words: orNull(Type.String()),
});

/** What a folder holds. */
const FoundSite = closed({
  /** Null if the folder has no configuration file of a known generator. */
  generator: orNull(Generator),
  /** The configuration file that the generator was recognized by, relative to the folder. */
  configFile: orNull(Type.String()),
  /** The site's own title, from its configuration. */
  title: Type.String(),
  /** How many posts are in the folder. */
  posts: Type.Integer(),
  repository: orNull(FoundRepository),
  /** What the owner should know before turning this on. */
  warnings: Type.Array(Type.String()),
  /** The settings that fit the folder. */
  suggested: Type.Omit(SiteFolderSettings, ['on'], { additionalProperties: false }),
});
export type FoundSite = Static<typeof FoundSite>;

/** A post that is not on the owner's site yet, or not in its current version. */
const FolderItem = closed({
  /** Identifies the post in `siteFolder.retry`. */
  id: Id,
  /** The post's own URL. */
  url: Type.String(),
  title: Type.String(),
  /** Relative to the folder. */
  file: Type.String(),
  /**
   * `waiting`: its file will be written. `building`: its file is written, and the page is not live yet. `late`: the page
   * has not been live for more than an hour. `conflict`: the owner has to decide.
   */
  state: choice('waiting', 'building', 'late', 'conflict'),
  words: Type.String(),
  since: Moment,
});
export type FolderItem = Static<typeof FolderItem>;

export const SiteFolderStatus = closed({
  state: choice('off', 'idle', 'working', 'waiting', 'trouble'),
  /** The state in words for the owner, and what to do about it. */
  words: Type.String(),
  /** How many posts are not live in their current version, conflicts included. */
  waiting: Type.Integer(),
  conflicts: Type.Integer(),
  /** How many public posts `siteFolder.publishAll` would publish: those that are not in the folder and not waiting. */
  unpublished: Type.Integer(),
  /** The last change that reached the folder. */
  last: orNull(closed({ at: Moment, words: Type.String(), url: orNull(Type.String()) })),
  /** The posts that are waiting, conflicts first; at most 100. */
  items: Type.Array(FolderItem),
});
export type SiteFolderStatus = Static<typeof SiteFolderStatus>;

const Unsaved = Type.Optional(Type.Partial(SiteFolderSettings, { additionalProperties: false }));

export const siteFolderMethods = {
  /**
   * Examines a folder. Changes nothing.
   * @throws invalid_path
   */
  'siteFolder.detect': method(closed({ path: Type.String({ minLength: 1, maxLength: 4096 }) }), FoundSite),
  /**
   * Returns the file that the newest post of a kind has in the folder, and the post's URL; without a post, those of an
   * example. `settings`: in place of the saved ones.
   * @throws invalid_request if a setting isn't valid
   */
  'siteFolder.preview': method(
    closed({ kind: Type.Optional(PostKind), settings: Unsaved }),
    closed({
      file: Type.String(),
      text: Type.String(),
      url: Type.String(),
      /** Further files that are written with the post, relative to the folder. */
      media: Type.Array(Type.String()),
      isExample: Type.Boolean(),
    }),
  ),
  'siteFolder.status': method(Nothing, SiteFolderStatus),
  /** Publishes all public posts that are not in the folder yet, in one commit. Returns how many there are. */
  'siteFolder.publishAll': method(Nothing, closed({ posts: Type.Integer() })),
  /**
   * Tries again what is waiting: all of it, or the post with this id. `replace`: overwrites the file with which the post
   * is in conflict.
   */
  'siteFolder.retry': method(
    closed({ id: Type.Optional(Id), replace: Type.Optional(Type.Boolean()) }),
    SiteFolderStatus,
  ),
  /** Returns the template that shows mentions from data files, and where it belongs in the folder. */
  'siteFolder.snippet': method(
    closed({ generator: Type.Optional(Generator) }),
    closed({ file: Type.String(), text: Type.String(), words: Type.String() }),
  ),
};
