import { PorchlightError } from '../contract/error.ts';
import type { PostKind } from '../contract/posts.ts';
import type { Post } from '../contract/posts.ts';
import type { Bearer } from '../http/bearer.ts';
import { invalidRequest } from '../http/errors.ts';
import type { Clock } from '../platform/clock.ts';
import { findAdopted, findPost, postUrl } from '../posts/address.ts';
import { postText } from '../posts/content-text.ts';
import { postKindOf } from '../posts/kind.ts';
import type { Action } from '../posts/micropub/action.ts';
import type { DraftEdit, Placed } from '../posts/micropub/actions.ts';
import type { AdoptedPosts, PostStore } from '../posts/post-store.ts';
import { shortenedLine } from '../posts/owner.ts';
import { versionOf } from '../posts/post-content.ts';
import { propertyText, propertyValues } from '../posts/values.ts';
import { isListed, publishedAt } from '../posts/visibility.ts';

/** How assistants change posts. Plain text is Markdown. */
interface AssistantActions {
  readonly perform: (action: Action, bearer: Bearer) => Promise<Placed | undefined>;
  readonly editDraft: (edit: DraftEdit, bearer: Bearer) => Promise<string>;
}

export interface AssistantPostsDeps {
  readonly base: () => string;
  readonly posts: PostStore;
  readonly apps: AssistantActions;
  readonly adopted: AdoptedPosts;
  readonly now: Clock;
}

/** What assistants do with posts. They see public posts and the drafts that they wrote, and nothing else. */
export type AssistantPosts = ReturnType<typeof assistantPosts>;

interface Search {
  readonly query?: string | undefined;
  readonly category?: string | undefined;
  readonly kind?: PostKind | undefined;
  readonly own_drafts?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

interface Draft {
  readonly title?: string | undefined;
  readonly text?: string | undefined;
  readonly categories?: readonly string[] | undefined;
  readonly reply_to?: string | undefined;
  readonly photos?: readonly string[] | undefined;
  readonly publish?: boolean | undefined;
}

const usualLimit = 20;
const mostResources = 50;
/** The most characters of a text that an assistant gets. */
const mostText = 100_000;

const notFound = () => new PorchlightError('not_found', 'There is no public post at this address.', 404);

/** Returns what assistants do with posts; see AssistantPosts. */
export function assistantPosts({ base, posts, apps, adopted, now }: AssistantPostsDeps) {
  const isSeen = (post: Post, app: string): boolean =>
    isListed(post, now()) ||
    // The owner may have made the draft private.
    (post.createdBy === app && post.status === 'draft' && post.visibility === 'public' && !post.deletedAt);

  /** @throws not_found if the assistant may not see the post */
  async function seen(url: string, app: string): Promise<Post> {
    const post = await findPost(posts, base(), url).catch(() => undefined);
    if (post === undefined || !isSeen(post, app)) throw notFound();
    return post;
  }

  const listItem = (post: Post) => ({
    ...aboutPost(post),
    url: postUrl(base(), post),
    summary: shortenedLine(postText(post.properties)),
  });

  const written = async (url: string, app: string) => {
    const post = await seen(url, app);
    return { url: postUrl(base(), post), status: post.status, version: versionOf(post) };
  };

  async function search(wish: Search, { app }: Pick<Bearer, 'app'>) {
    const { query: text, category, kind, limit = usualLimit, cursor: after } = wish;
    const which =
      wish.own_drafts === true
        ? ({ status: 'draft', readableBy: { app, now: now() } } as const)
        : ({ status: 'published', visibility: 'public', publishedBy: now() } as const);
    const page = await posts.list({ limit, after, filter: { text, category, kind, ...which } });
    return {
      posts: page.items.filter((post) => isSeen(post, app)).map(listItem),
      ...(page.after !== undefined && { cursor: page.after }),
    };
  }

  return {
    search,

    async read(url: string, { app }: Pick<Bearer, 'app'>) {
      const file = await findAdopted({ adopted, posts, base: base() }, url);
      if (file) {
        if (file.status !== 'published' || file.visibility !== 'public' || publishedAt(file) > now())
          throw notFound();
        const post = { ...file, path: '', commands: {}, updatedAt: file.createdAt, deletedAt: null };
        return { ...aboutPost(post), url: file.url, text: textOf(file) };
      }
      const post = await seen(url, app);
      return {
        ...aboutPost(post),
        url: postUrl(base(), post),
        version: versionOf(post),
        text: textOf(post),
      };
    },

    /** Saves a draft, or publishes it; the caller has checked that the token may publish. */
    async write(
      { title = '', text = '', categories = [], reply_to, photos = [], publish }: Draft,
      bearer: Bearer,
    ) {
      const bag = new Map<string, readonly unknown[]>([['content', [text]]]);
      if (title !== '') bag.set('name', [title]);
      if (categories.length > 0) bag.set('category', categories);
      if (photos.length > 0) bag.set('photo', photos.map(ownFile));
      if (reply_to !== undefined) bag.set('in-reply-to', [webAddress(reply_to)]);
      if (publish !== true) bag.set('post-status', ['draft']);
      const placed = await apps.perform({ kind: 'create', type: ['h-entry'], bag }, bearer);
      if (placed === undefined) throw notFound();
      return written(placed.url, bearer.app);
    },

    async edit(
      { url, version, title, text, categories }: Draft & { url: string; version: string },
      bearer: Bearer,
    ) {
      const replace = new Map<string, readonly unknown[]>();
      if (text !== undefined) replace.set('content', [text]);
      if (title !== undefined) replace.set('name', title === '' ? [] : [title]);
      if (categories !== undefined) replace.set('category', categories);
      if (replace.size === 0) throw invalidRequest('Name what to change: title, text or categories.');
      await seen(url, bearer.app);
      return written(await apps.editDraft({ url, ifVersion: version, replace }, bearer), bearer.app);
    },

    async counts() {
      const [kinds, categories, months] = await Promise.all(
        (['kind', 'category', 'month'] as const).map((list) => posts.sizes(list, now())),
      );
      return { kinds, categories, months };
    },

    /** Returns the newest public posts as resources. */
    async resources() {
      const { posts: newest } = await search({ limit: mostResources }, { app: '' });
      return newest.map(({ url, title, summary }) => ({
        uri: url,
        name: title === '' ? summary || url : title,
        mimeType: 'text/markdown',
      }));
    },
  };

  /** Only files of this server, so that a draft that the owner publishes loads nothing from elsewhere. */
  function ownFile(url: string): string {
    // The address without `..`, which would lead to other pages, and from there to other servers.
    const href = URL.canParse(url) ? new URL(url).href : '';
    if (href.startsWith(`${base()}/media/`)) return href;
    throw invalidRequest('A photo must be one that upload_photo has stored.');
  }
}

const aboutPost = (post: Post) => ({
  title: propertyText(post.properties, 'name') ?? '',
  kind: postKindOf(post),
  status: post.status,
  published: new Date(publishedAt(post)).toISOString(),
  categories: propertyValues(post.properties, 'category').filter((name) => typeof name === 'string'),
});

const textOf = ({ markdown, properties }: Pick<Post, 'markdown' | 'properties'>): string =>
  (markdown ?? postText(properties, mostText)).slice(0, mostText);

function webAddress(url: string): string {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url;
  throw invalidRequest('reply_to must be a web address.');
}
