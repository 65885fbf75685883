import { type Static, Type } from 'typebox';
import { postKindList } from './post-kinds.ts';
import { Address, choice, closed, method, Moment, Nothing, orNull } from './shapes.ts';

/** The kind of a post (see postKinds). */
export const PostKind = Type.Enum([...postKindList]);
export type PostKind = Static<typeof PostKind>;

/** Microformats2 properties. Each value is a list, as in Micropub requests (Micropub 3.3.2). */
export const Properties = Type.Record(Type.String(), Type.Array(Type.Unknown()));
export type Properties = Static<typeof Properties>;

export const PostStatus = choice('published', 'draft');
export const Visibility = choice('public', 'unlisted', 'private');

/** The location of a post on the owner's own site, which a static site generator builds from a folder. */
export const PostHome = closed({
  /** The post's URL on the owner's own site. The URL is kept even if the owner stops publishing to the folder. */
  url: Type.String(),
  /** The path of the post's file, relative to the folder, with `/` as the separator. */
  file: Type.String(),
  /** The URLs that the post had earlier on the owner's own site, newest first. */
  former: Type.Array(Type.String()),
  /**
   * The files that Porchlight has written for the post: the post's own file and its media files. Maps each path to the
   * file's SHA-256 in hex. Empty until Porchlight has published the files.
   */
  written: Type.Record(Type.String(), Type.String()),
  /** The value of the post's `updatedAt` when the files in `written` were made; absent if `written` is empty. */
  writtenFrom: Type.Optional(Moment),
  /** When Porchlight first found the post's page at its URL; null until then. */
  liveAt: orNull(Moment),
});
export type PostHome = Static<typeof PostHome>;

/** A post, in the form that all modules of this program use. */
export const Post = closed({
  /** The post's path, relative to the public origin, such as `/posts/2026/11/slug`. */
  path: Type.String(),
  type: Type.Array(Type.String()),
  properties: Properties,
  /**
   * The Micropub commands that are stored with the post (mp-syndicate-to, mp-channel, ...), without the `mp-` prefix.
   */
  commands: Properties,
  status: PostStatus,
  visibility: Visibility,
  createdAt: Moment,
  updatedAt: Moment,
  deletedAt: orNull(Moment),
  /** When the content last changed after the post became public; absent if there was no such change. */
  editedAt: Type.Optional(Moment),
  /** The Markdown source of the `content` property; present only if the text was written in Markdown. */
  markdown: Type.Optional(Type.String()),
  /**
   * The `published` date that Porchlight set because nobody gave one. It says nothing once `published` is another date.
   * A post with this date is never scheduled: if the date is in the future, the clock was ahead (see own-dates.ts).
   */
  ownDate: Type.Optional(Type.String()),
  /** The app that created the post (see Bearer.app); absent if the owner created it, or if the app is unknown. */
  createdBy: Type.Optional(Type.String()),
  /** The post's location on the owner's own site; absent if the post is only on the built-in site. */
  home: Type.Optional(PostHome),
  /**
   * The id of the post's entry in feeds, which never changes (RFC 4287 4.2.6, JSON Feed 1.1): its URL when it first was
   * in them. Absent if it never was.
   */
  feedId: Type.Optional(Type.String()),
});
export type Post = Static<typeof Post>;

/** An ID of a post's current content. It changes whenever the content changes. */
export const PostVersion = Type.String({ minLength: 1, maxLength: 100 });

/** A post as shown in a list. */
export const PostItem = closed({
  path: Post.properties.path,
  url: Type.String(),
  kind: PostKind,
  /** The post's name; empty if the post has none. */
  name: Type.String(),
  /** The start of the post's text. If the post has no text, the page to which the post responds. */
  summary: Type.String(),
  /** `scheduled`: published, with a date in the future. */
  status: Type.Union([PostStatus, Type.Literal('scheduled')]),
  visibility: Visibility,
  /**
   * The publication date as the author gave it, with its UTC offset. If the author gave no date, the time when the post
   * was created.
   */
  published: Type.String(),
  deletedAt: Post.properties.deletedAt,
  /** The URL of the post's first picture; absent if it has none. */
  picture: Type.Optional(Type.String()),
  /** The name of the app that created the post; absent for the owner's posts. Only in lists. */
  createdBy: Type.Optional(Type.String()),
});
export type PostItem = Static<typeof PostItem>;

/**
 * A post of which something newer may be missing after a repair. Nobody sees it until the owner decides. `item`: the post
 * as it was. `movedTo`: the path to which this path led. Both are null if the post's file was damaged before it was read.
 */
export const DamagedPost = closed({
  path: Post.properties.path,
  url: Type.String(),
  item: orNull(PostItem),
  movedTo: orNull(Type.String()),
});
export type DamagedPost = Static<typeof DamagedPost>;

/** The path of a post's file, below the folder of posts, such as `2026/11/lunch.json`. */
const FilePath = Type.String({ maxLength: 400 });

/**
 * How the files of posts differ from the posts. `changed`: edited files. `added`: files of no post. `missing`: the files
 * of posts that are gone. `ended`: files older than their posts, which were deleted or hidden since. `unreadable`: files
 * that can't be read, each with the reason. At most 1,000 of each.
 */
export const PostFiles = closed({
  changed: Type.Array(FilePath),
  added: Type.Array(FilePath),
  missing: Type.Array(FilePath),
  ended: Type.Array(FilePath),
  unreadable: Type.Array(closed({ file: FilePath, reason: Type.String() })),
});
export type PostFiles = Static<typeof PostFiles>;

const PostUrl = closed({ url: Address });

export const PostChange = closed({
  url: Type.String(),
  change: choice('created', 'updated', 'deleted', 'undeleted'),
});
export type PostChange = Static<typeof PostChange>;

export const postMethods = {
  /** Returns the categories in the settings, then the categories of posts, most used first. Returns at most 1,000. */
  'posts.categories': method(closed({}), Type.Array(Type.String())),
  /**
   * Lists posts, newest first. Includes deleted posts only if `status` is `deleted`. `query`: part of a name, text or
   * category. `cursor`: the `nextCursor` of the previous page.
   */
  'posts.list': method(
    closed({
      query: Type.Optional(Type.String({ maxLength: 500 })),
      kind: Type.Optional(PostKind),
      status: Type.Optional(Type.Union([PostStatus, Type.Literal('scheduled'), Type.Literal('deleted')])),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
      cursor: Type.Optional(Type.String({ maxLength: 1000 })),
    }),
    closed({ items: Type.Array(PostItem), nextCursor: Type.Optional(Type.String()) }),
  ),
  /** Returns a post. `version`: pass it as `ifVersion` when changing the post. */
  'posts.get': method(PostUrl, closed({ item: PostItem, post: Post, version: PostVersion })),
  /**
   * Returns a post as the site shows it: sanitized markup, and the site's style sheet. Its pictures have their URLs on
   * this server, and the window, which loads nothing, shows thumbnails instead. Fetches nothing.
   */
  'posts.page': method(PostUrl, closed({ html: Type.String(), css: Type.String() })),
  /** Deletes a post. `posts.undelete` restores it. */
  'posts.delete': method(PostUrl, PostItem),
  'posts.undelete': method(PostUrl, PostItem),
  /** Returns how the files of posts differ from the posts, as far as is known. */
  'posts.files': method(closed({}), PostFiles),
  /**
   * Reads the files of posts that somebody edited. Each edit becomes a version by the owner, and each new file a post.
   * `missing`: what becomes of posts whose file is gone: the file is written again, or the post is deleted, if an earlier
   * call or the start has named it; more than ten posts are deleted only if the call is repeated. `bringBack`: the files
   * in `ended` that may bring their posts back. The result has the files that were read, and those that are still missing,
   * ended or unreadable.
   */
  'posts.readFiles': method(
    closed({
      missing: Type.Optional(choice('write', 'delete')),
      bringBack: Type.Optional(Type.Array(FilePath, { maxItems: 1000 })),
    }),
    PostFiles,
  ),
  /** Returns up to 20 posts of which something newer may be missing after a repair of the database. */
  'posts.damaged': method(closed({}), Type.Array(DamagedPost)),
  /**
   * Shows such a post again, as it was. Does nothing for other posts. `item`: the post to which the path leads; null if
   * there is none.
   */
  'posts.restoreCopy': method(closed({ path: Post.properties.path }), closed({ item: orNull(PostItem) })),
};

/** A webmention that this server sends for a post. `no-endpoint`: the linked page doesn't accept webmentions. */
export const Delivery = closed({
  source: Type.String(),
  /** The title of the post, or the beginning of its text; absent if it has neither. */
  title: Type.Optional(Type.String()),
  target: Type.String(),
  state: choice('waiting', 'sent', 'failed', 'no-endpoint'),
  /** The result of the delivery, or the reason why it is waiting, as text for the owner. */
  words: Type.String(),
  at: Moment,
  /** The URL of the copy of the post that a cross-posting service made; absent if there is none. */
  copy: Type.Optional(Type.String()),
});
export type Delivery = Static<typeof Delivery>;

/**
 * The data of the `deliveries.changed` event, which is sent when a post's outgoing webmentions have changed. `source`:
 * the post's URL.
 */
export const DeliveriesChange = closed({ source: Type.String() });

export const deliveryMethods = {
  /** Lists a post's outgoing webmentions, including those that are waiting to be sent. */
  'webmentions.deliveries': method(closed({ source: Address }), Type.Array(Delivery)),
  /** Lists the webmentions of the last two weeks that could not be sent, newest first. Returns at most 20. */
  'webmentions.failedDeliveries': method(Nothing, Type.Array(Delivery)),
  /** Queues another attempt to send a post's webmention to one page. Returns the queued deliveries. */
  'webmentions.retryDelivery': method(closed({ source: Address, target: Address }), Type.Array(Delivery)),
};

/** A service that cross-posts public posts when it receives a webmention. */
interface CrossPostingService {
  /** The ID of the target, which is also the URL that receives the webmention. */
  readonly uid: string;
  /** The name of the target. Apps show it. */
  readonly name: string;
  /** The hosts of the copies that the service makes; absent if a copy can be on any host. */
  readonly copyHosts?: readonly string[];
  /** Whether the service updates its copy when it receives the webmention of a post that was edited. */
  readonly updates?: true;
}

/**
 * Bridgy Fed, which makes the owner's site an account in the fediverse and on Bluesky. It names no copies: they are the
 * posts of that account.
 */
export const bridgyFed = {
  uid: 'https://fed.brid.gy/',
  name: 'Fediverse and Bluesky (Bridgy Fed)',
  copyHosts: [],
  updates: true,
} as const satisfies CrossPostingService;

/** The services that the settings offer by name. */
export const crossPostingServices: readonly CrossPostingService[] = [
  { uid: 'https://brid.gy/publish/mastodon', name: 'Mastodon (Bridgy)' },
  { uid: 'https://brid.gy/publish/bluesky', name: 'Bluesky (Bridgy)', copyHosts: ['bsky.app'] },
  { uid: 'https://brid.gy/publish/github', name: 'GitHub (Bridgy)', copyHosts: ['github.com'] },
  {
    uid: 'https://news.indieweb.org/en',
    name: 'IndieNews',
    copyHosts: ['news.indieweb.org'],
    updates: true,
  },
  bridgyFed,
];

/**
 * Returns the name of the cross-posting target at a URL; undefined if there is none. `targets`: the owner's targets, whose
 * names come first.
 */
export function targetName(
  url: string,
  targets: readonly { readonly uid: string; readonly name: string }[] = [],
): string | undefined {
  const isAt = ({ uid }: { readonly uid: string }) =>
    isSendableTarget(uid) && new URL(uid.trim()).href === url;
  return [...targets, ...crossPostingServices].find(isAt)?.name;
}

/** Returns whether one of the owner's cross-posting targets is Bridgy Fed. */
export function hasBridgyFed(targets: readonly { readonly uid: string }[]): boolean {
  return targets.some(({ uid }) => isSendableTarget(uid) && new URL(uid.trim()).href === bridgyFed.uid);
}

/**
 * Returns whether a cross-posting target is a web address, so that Porchlight can send posts there. All other targets
 * are only offered to apps.
 */
export function isSendableTarget(uid: string): boolean {
  if (!/^https?:\/\//i.test(uid.trim()) || !URL.canParse(uid.trim())) return false;
  const { username, password } = new URL(uid.trim());
  return username === '' && password === '';
}

const webAddress = /https?:\/\/(?:www\.)?([^\s/?#]+)(?:[/?#](\S*?))?(?=[).,;:!?"”]*(?:\s|$))/gi;
const isAddress = (word: string) => /^["“(]?https?:\/\/\S+$/i.test(word);

/**
 * Returns the beginning of a text as a title: without the addresses at its end if other words remain, and with only the
 * host of every other address.
 */
export function withShortAddresses(text: string): string {
  const words = text.trim().split(/\s+/);
  const count = words.length;
  while (words.length > 1 && isAddress(words.at(-1) ?? '')) words.pop();
  const kept = words.join(' ');
  const title = words.length === count ? kept : kept.replace(/[\s:,–—-]+$/, '');
  return title.replace(webAddress, (_address, host: string, rest = '') => (rest === '' ? host : `${host}/…`));
}
