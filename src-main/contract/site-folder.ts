import { Type, type Static } from 'typebox';
import { PostKind } from './posts.ts';
import { choice, closed, Id, method, Moment, Nothing, orNull, setting, settingsSchema } from './shapes.ts';

/**
 * The programs that build a site from a folder. `custom`: any other program; the owner writes the templates for its
 * paths and URLs.
 */
export const Generator = choice('hugo', 'jekyll', 'eleventy', 'astro', 'zola', 'custom');
export type Generator = Static<typeof Generator>;

/** The names of the generators, as their authors write them. */
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
 * use {file} in place of {slug}. A template is empty until the folder is set up.
 */
const Template = Type.String({ maxLength: 500 });

/** The folder from which the owner's own site is built. An empty string means that a field isn't set. */
export const siteFolderArea = {
  on: setting(Type.Boolean(), false, { label: 'Publish to the folder of your own site' }),
  /** The full path of the folder. */
  path: setting(Type.String({ maxLength: 4096 }), '', {
    label: 'Folder of your site',
    help: 'The full path of the folder that contains the generator’s configuration file.',
    also: 'publish generator hugo jekyll eleventy 11ty astro zola git commit push branch remote repository github markdown front matter own domain static templates',
    asks: 'Folder of your own site',
  }),
  generator: setting(Generator, 'custom', { label: 'Generator', asks: 'Generator of your own site' }),
  /** The URL of the site, with its path: `https://example.com/` or `https://example.com/blog/`. */
  baseUrl: setting(Type.String({ maxLength: 2048 }), '', {
    label: 'Address of the site',
    help: 'With its path, such as https://example.com/blog/.',
    asks: 'Address of your own site',
  }),
  /** The path template of a post's file, such as `content/posts/{yyyy}-{mm}-{dd}-{slug}.md`. */
  postFile: setting(Template, '', {
    label: 'File of a post',
    help: 'In the folder. You can use {yyyy}, {mm}, {dd}, {slug} and {kind}.',
    asks: 'Files of posts in your site’s folder',
  }),
  /** The URL template of a post, relative to `baseUrl`, such as `posts/{slug}/`. */
  postUrl: setting(Template, '', {
    label: 'URL of a post',
    help: 'Below the address of the site, with the same placeholders. It has to match your generator’s settings.',
    asks: 'Addresses of posts on your own site',
  }),
  /** Where Porchlight stores the photos, videos and recordings of posts: in the folder, or on this server. */
  media: setting(choice('folder', 'porch'), 'folder', {
    label: 'Photos, videos and recordings',
    options: {
      folder: { label: 'In the folder', help: 'Porchlight saves copies in the folder, next to your posts.' },
      porch: {
        label: 'On your site',
        help: 'Posts link to the files that Porchlight serves. The folder stays small.',
      },
    },
    asks: 'Where the media of your posts are',
  }),
  mediaFile: setting(Template, '', {
    label: 'File of a photo, video or recording',
    help: 'In the folder. Use {file} for the name of the file.',
    asks: 'Media files in your site’s folder',
  }),
  mediaUrl: setting(Template, '', {
    label: 'URL of a photo, video or recording',
    help: 'Below the address of the site, with the same placeholders.',
    asks: 'Addresses of media files on your own site',
  }),
  /** Whether Porchlight writes mentions to the generator's data folder. */
  mentions: setting(choice('off', 'data'), 'off', {
    label: 'Save mentions as data files',
    help: 'At most once an hour, Porchlight saves the mentions of your posts for your templates.',
    asks: 'Write mentions to your site’s folder',
  }),
  /** Whether Porchlight commits changes to git, and whether it pushes the commits. `push` requires `commit`. */
  commit: setting(Type.Boolean(), true, { label: 'Commit changes of your site to git' }),
  push: setting(Type.Boolean(), true, { label: 'Push changes of your site' }),
  branch: setting(Type.String({ maxLength: 250 }), '', { label: 'Branch', asks: 'Branch of your own site' }),
  remote: setting(Type.String({ maxLength: 250 }), '', {
    label: 'Remote',
    asks: 'Remote to which your site is pushed',
  }),
  /**
   * The folder may contain posts that Porchlight didn't publish. If `adopt` is true, apps see these posts, and the
   * posts can receive mentions.
   */
  adopt: setting(Type.Boolean(), false, {
    label: 'Include posts that are already in the folder',
    help: 'Apps show those in your site’s sitemap or feed, and they receive mentions. Porchlight changes one only if you edit it in an app.',
    asks: 'Show older posts of your own site to apps',
  }),
};
export const SiteFolderSettings = settingsSchema(siteFolderArea);
export type SiteFolderSettings = Static<typeof SiteFolderSettings>;

/**
 * The git repository that contains a folder. `words`: the reason why commits or pushes aren't possible; null if both
 * are possible.
 */
const FoundRepository = closed({
  /** The checked-out branch; null if there is none. */
  branch: orNull(Type.String()),
  /** The remotes that Porchlight pushes to. */
  remotes: Type.Array(Type.String()),
  /** The remote to which the branch is pushed; null if there is none. */
  remote: orNull(Type.String()),
  words: orNull(Type.String()),
});

/** The result of examining a folder that may contain a site. */
const FoundSite = closed({
  /** The site's generator; null if the folder has no configuration file of a known generator. */
  generator: orNull(Generator),
  /** The configuration file that identifies the generator, relative to the folder; null if there is none. */
  configFile: orNull(Type.String()),
  /** The site's own title, from its configuration. */
  title: Type.String(),
  /** The number of posts in the folder. */
  posts: Type.Integer(),
  repository: orNull(FoundRepository),
  /** Warnings for the owner to read before they turn on publishing to the folder. */
  warnings: Type.Array(Type.String()),
  /** The settings that Porchlight suggests for the folder. */
  suggested: Type.Omit(SiteFolderSettings, ['on'], { additionalProperties: false }),
});
export type FoundSite = Static<typeof FoundSite>;

/** The posts that are in the folder although Porchlight didn't publish them. */
const Adopted = closed({
  /** The number of such posts that apps see and that can receive mentions. */
  posts: Type.Integer(),
  /**
   * The reasons why apps don't see the posts in some files, most frequent first. `example`: the path of one such file,
   * relative to the folder.
   */
  problems: Type.Array(closed({ words: Type.String(), files: Type.Integer(), example: Type.String() })),
  /** Whether the folder has more files than Porchlight can read. */
  isCut: Type.Boolean(),
});

/** A post whose current version is not yet on the owner's site. */
const FolderItem = closed({
  /** The ID of the post in calls of `siteFolder.retry`. */
  id: Id,
  /** The post's URL on the owner's site. */
  url: Type.String(),
  title: Type.String(),
  /** The path of the post's file, relative to the folder. */
  file: Type.String(),
  /**
   * `waiting`: the post's file has not been written yet. `building`: the file has been written, but the page is not
   * live yet. `late`: the page is still not live after more than an hour. `conflict`: Porchlight did not write the
   * file, for example because the file was changed outside Porchlight. The owner must decide what to do.
   */
  state: choice('waiting', 'building', 'late', 'conflict'),
  words: Type.String(),
  since: Moment,
});
export type FolderItem = Static<typeof FolderItem>;

export const SiteFolderStatus = closed({
  state: choice('off', 'idle', 'working', 'waiting', 'trouble'),
  /** The state, and what to do about it, as text for the owner. */
  words: Type.String(),
  /** The number of posts whose current version is not live, including conflicts. Doesn't count scheduled posts. */
  waiting: Type.Integer(),
  conflicts: Type.Integer(),
  /**
   * The number of public posts that `siteFolder.publishAll` would publish: posts that are neither in the folder nor
   * waiting to be written to it.
   */
  unpublished: Type.Integer(),
  /** The last change that went live on the owner's site; null if there is none. */
  last: orNull(closed({ at: Moment, words: Type.String(), url: orNull(Type.String()) })),
  /** The posts whose current version is not live, conflicts first; at most 100. */
  items: Type.Array(FolderItem),
});
export type SiteFolderStatus = Static<typeof SiteFolderStatus>;

const FolderPath = Type.String({ minLength: 1, maxLength: 4096 });
const Unsaved = Type.Optional(Type.Partial(SiteFolderSettings, { additionalProperties: false }));

export const siteFolderMethods = {
  /**
   * Examines a folder that may contain a site. Changes nothing.
   * @throws invalid_path
   */
  'siteFolder.detect': method(closed({ path: FolderPath }), FoundSite),
  /**
   * Returns the file that Porchlight would write for the newest post of a kind, and the post's URL. If there is no such
   * post, uses an example. `settings`: settings to use in place of the saved settings.
   * @throws invalid_request if a setting isn't valid
   */
  'siteFolder.preview': method(
    closed({ kind: Type.Optional(PostKind), settings: Unsaved }),
    closed({
      file: Type.String(),
      text: Type.String(),
      url: Type.String(),
      /** The paths of the other files that are written with the post, relative to the folder. */
      media: Type.Array(Type.String()),
      isExample: Type.Boolean(),
    }),
  ),
  'siteFolder.status': method(Nothing, SiteFolderStatus),
  'siteFolder.adopted': method(Nothing, Adopted),
  /**
   * Publishes all public posts whose files are not in the folder, in one commit. These are posts that were never
   * published to the folder, and posts whose files are missing. Returns the number of these posts.
   * @throws temporarily_unavailable if the folder can't be read
   */
  'siteFolder.publishAll': method(Nothing, closed({ posts: Type.Integer() })),
  /**
   * Retries all waiting changes. If `id` is given, retries only the changes of this post. `replace`: whether to
   * overwrite a file that conflicts with the post.
   */
  'siteFolder.retry': method(
    closed({ id: Type.Optional(Id), replace: Type.Optional(Type.Boolean()) }),
    SiteFolderStatus,
  ),
  /**
   * Returns the template that shows mentions from data files, its path in the folder, and instructions for using it.
   */
  'siteFolder.snippet': method(
    closed({ generator: Type.Optional(Generator) }),
    closed({ file: Type.String(), text: Type.String(), words: Type.String() }),
  ),
};
