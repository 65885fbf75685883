import { isDeepStrictEqual } from 'node:util';
import type { Handlers, Result } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { Post } from '../contract/posts.ts';
import type { PostText, SavedPost } from '../contract/writing.ts';
import type { CitedPage, PersonFinder } from './links.ts';
import type { RenderMarkdown } from './post-reading.ts';
import type { OwnerPostStore } from './micropub/owner-post-store.ts';
import { itemOf, ownPost, type PostDeps, postWords, shortenedLine } from './owner.ts';
import { versionOf, withPublished } from './post-content.ts';
import { type EarlierPost, type Edits, versionId } from './post-document.ts';
import { cleanSlug, draftSlug, isDraftSlug } from './post-path.ts';
import type { ChangedPost, PostContent } from './post-store.ts';
import { postText } from './content-text.ts';
import { propertyText } from './values.ts';
import { createRecent } from '../storage/caches.ts';

interface WritingDeps extends PostDeps {
  readonly posts: OwnerPostStore;
  /** Finds the people whom posts mention. */
  readonly personUrl: PersonFinder;
  readonly markdown: RenderMarkdown;
  /** Returns a post as the site shows it. */
  readonly preview: (post: Post) => Promise<Result<'posts.preview'>>;
  /** Returns what another site's page says about itself; undefined if it says nothing or can't be read. */
  readonly cited: (url: string) => Promise<CitedPage | undefined>;
}

/** Creates the handlers for the owner's writing: creating and changing posts, unsaved edits, and earlier versions. */
export function writingHandlers(deps: WritingDeps) {
  const { posts, personUrl, markdown, base, clock, zone, activity, changed, preview, cited } = deps;
  const find = (url: string) => ownPost(posts, base(), url);
  const createOnce = oncePerId<Post>();
  const reportOnce = oncePerId<SavedPost>();

  /**
   * Loads the module that converts the owner's text when it is first needed. Loading it at startup would slow down each
   * start.
   */
  const converting = () => import('./post-text.ts');

  /**
   * Converts the owner's text. Returns a function that returns the content of a post; its parameter is the content
   * before the change. `before`: that content, as far as it is known now.
   */
  async function converted(text: Partial<PostText>, before?: PostContent) {
    const { contentOfText, markdownToConvert } = await converting();
    const source = markdownToConvert(text, before);
    const html = source === undefined ? '' : await markdown(source, 'This text', personUrl);
    const toHtml = (requested: string) => {
      // Somebody else has changed the text since it was converted.
      if (requested !== source) throw changedMeanwhile();
      return html;
    };
    return (current?: PostContent) => contentOfText(text, base(), toHtml, current, zone());
  }
  const saved = (post: Post): SavedPost => ({ ...itemOf(post, base(), clock()), version: versionOf(post) });

  async function report(change: Omit<ChangedPost, 'url'>): Promise<SavedPost> {
    const { post, before } = change;
    const item = itemOf(post, base(), clock());
    await changed({ ...change, url: item.url });
    // A draft is saved repeatedly while the owner types, so the activity list doesn't record changes to a draft.
    const isSameDraft = before?.status === 'draft' && post.status === 'draft';
    if (!isSameDraft) await activity.record(`post.${change.change}`, postWords('You', change, item));
    return saved(post);
  }

  return {
    ...versionHandlers(deps),

    'posts.create': async ({ requestId, content: text = '', ...written }) => {
      const post = await createOnce(requestId, async () => {
        const now = clock();
        const content = (await converted({ text, ...written }))();
        const isDraft = content.status === 'draft';
        const wish = checkedSlug(written.slug);
        return posts.create(isDraft ? content : withPublished(content, now, zone()), {
          now,
          isExact: wish !== undefined,
          slug: wish ?? (isDraft ? draftSlug : undefined),
        });
      });
      return reportOnce(requestId, () => report({ post, change: 'created' }));
    },

    'posts.source': async ({ url }) => {
      const post = await find(url);
      const { textOfPost } = await converting();
      const { slug, ...written } = textOfPost(post, base());
      const isChosen = slug !== undefined && !isDraftSlug(slug);
      return { ...written, ...(isChosen && { slug }), version: versionOf(post) };
    },

    'posts.update': async ({ url, ifVersion, ifKept, ...written }) => {
      const now = clock();
      let before = await find(url);
      const contentAfter = await converted(written, before);
      const chosen = checkedSlug(written.slug);
      const edit = (current: PostContent, post: Post, kept: Edits | null) => {
        checkVersion(post, ifVersion);
        if (kept !== null) checkKept(kept, ifKept);
        before = structuredClone(post);
        const content = contentAfter(current);
        return content.status === 'draft' ? content : withPublished(content, now, zone());
      };
      const post = await posts.change(before.path, edit, {
        now,
        slug: chosen,
        isExact: chosen !== undefined,
      });
      return report({ post, change: 'updated', before });
    },

    'posts.preview': async ({ url, post: text }) => {
      const now = clock();
      const before = url === undefined ? undefined : await find(url);
      const content = withPublished((await converted(text, before))(before), now, zone());
      const moment = new Date(now).toISOString();
      const times = before ?? { createdAt: moment, updatedAt: moment, deletedAt: null };
      return preview({ path: '/posts/preview', ...times, ...content });
    },

    'posts.citedPage': async ({ url }) => {
      const { name = '', author } = (await cited(url)) ?? {};
      return { title: name, author: author?.name ?? '' };
    },

    'posts.restoreVersion': async ({ url, id, ifVersion }) => {
      let before = await find(url);
      const check = (current: Post) => {
        checkVersion(current, ifVersion);
        before = structuredClone(current);
      };
      const post = await posts.restoreVersion(before.path, id, { now: clock(), check });
      return report({ post, change: 'updated', before });
    },
  } satisfies Partial<Handlers>;
}

/** Creates the handlers for unsaved edits and for looking at earlier versions. */
function versionHandlers({ posts, base, clock }: Pick<WritingDeps, 'posts' | 'base' | 'clock'>) {
  const find = (url: string) => ownPost(posts, base(), url);
  return {
    'posts.edits': async ({ url }) => ({ edits: await posts.edits((await find(url)).path) }),

    'posts.keepEdits': async ({ url, edits, ifKept }) => {
      const { path } = await find(url);
      const next = edits && { ...edits, savedAt: new Date(clock()).toISOString() };
      await posts.keepEdits(path, next, (kept) => checkKept(kept, ifKept));
      return { savedAt: next?.savedAt ?? null };
    },

    'posts.history': async ({ url }) => {
      const post = await find(url);
      const versions = await posts.history(post.path);
      return {
        items: versions.map((version, index) => earlier(version, versions[index - 1]?.content ?? post)),
      };
    },

    'posts.versionTexts': async ({ url, id }) => {
      const post = await find(url);
      const versions = await posts.history(post.path);
      const index = versions.findIndex((version) => versionId(version) === id);
      const before = versions[index]?.content;
      if (before === undefined) throw new PorchlightError('not_found', 'This version no longer exists.', 404);
      return { before: titleAndText(before), after: titleAndText(versions[index - 1]?.content ?? post) };
    },
  } satisfies Partial<Handlers>;
}

/** Converts an earlier version of a post for the window. `next`: the content that replaced this version. */
function earlier(version: EarlierPost, next: PostContent) {
  const { replacedAt, by, content } = version;
  return {
    id: versionId(version),
    replacedAt,
    by,
    changes: changedProperties(content, next),
    name: shortenedLine(propertyText(content.properties, 'name') ?? ''),
    summary: shortenedLine(postText(content.properties)),
  };
}

/** The most characters of a text in which the window shows changes. */
const mostCompared = 100_000;

/** Returns the title and the text of a version, as the owner or an app wrote them. */
function titleAndText({ properties, markdown }: PostContent): { name: string; text: string } {
  const text = markdown ?? postText(properties, mostCompared);
  return { name: propertyText(properties, 'name') ?? '', text: text.slice(0, mostCompared) };
}

/**
 * Checks a slug and returns it; undefined if it is empty.
 * @throws invalid_request if the slug has no letter or digit, because no URL could contain such a slug
 */
function checkedSlug(slug: PostText['slug'] = ''): string | undefined {
  if (slug.trim() === '') return undefined;
  if (cleanSlug(slug) !== '') return slug;
  throw new PorchlightError('invalid_request', 'The last part of the address needs letters or digits.');
}

function checkVersion(post: Post, expected: string | undefined): void {
  if (expected === undefined || expected === versionOf(post)) return;
  throw changedMeanwhile();
}

const changedMeanwhile = () =>
  new PorchlightError('conflict', 'This post has changed since you opened it.', 409);

/**
 * Checks that the caller has seen a post's latest unsaved edits.
 * @throws conflict if the caller has not seen them
 */
function checkKept(kept: Edits | null, seen: string | null | undefined): void {
  if (seen === undefined || seen === (kept?.savedAt ?? null)) return;
  throw new PorchlightError('conflict', 'Another window has saved edits of this post.', 409);
}

/** Returns the names of the properties and Micropub commands that differ between two versions of a post. */
function changedProperties(before: PostContent, after: PostContent): string[] {
  const old = partsOf(before);
  const now = partsOf(after);
  const names = new Set([...old.keys(), ...now.keys()]);
  return [...names].filter((name) => !isDeepStrictEqual(old.get(name), now.get(name)));
}

function partsOf({ properties, commands, markdown }: PostContent): Map<string, unknown> {
  const parts = new Map<string, unknown>([...Object.entries(commands), ...Object.entries(properties)]);
  // Compares the Markdown, too, because two different Markdown texts can have the same HTML.
  return parts.set('content', [parts.get('content'), markdown]);
}

/** The number of IDs to remember. This is enough for callers that repeat their requests within seconds. */
const mostIds = 1000;

/**
 * Returns a function that runs `work` once for each ID, and returns the first result to repeated calls. After a
 * failure, the next call with the same ID runs `work` again. Without an ID, each call runs `work`.
 */
function oncePerId<R>(): (id: string | undefined, work: () => Promise<R>) => Promise<R> {
  const results = createRecent<Promise<R>>(mostIds);
  return (id, work) => {
    if (id === undefined) return work();
    const result = results.get(id)?.catch(work) ?? work();
    results.set(id, result, 1);
    return result;
  };
}
