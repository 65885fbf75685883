import type { Params } from '../contract/contract.ts';
import type { Post } from '../contract/posts.ts';
import type { Settings } from '../contract/settings.ts';
import type { Html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import { entryMarkup, type EntryView } from '../posts/rendering/entry.ts';
import { homePage, type ListView } from './list-page.ts';
import type { RenderMarkdown } from '../posts/post-reading.ts';
import { markdownMarkup } from './frame.ts';
import { ownPage } from './own-pages.ts';
import type { SiteViews, ViewDeps } from './site-views.ts';
import { photoUrl, type ServedPhoto } from '../posts/rendering/icons.ts';
import { postPage } from './post-page.ts';
import type { ResponsePage } from './responses.ts';

/** HTML for a window that runs no scripts, and its style sheet. */
export interface Preview {
  readonly html: string;
  readonly css: string;
}

const postsInPreview = 3;

/** Returns a view for a window, which replaces the pictures that `src` names. */
const withOriginals = <T extends EntryView>(view: T): T => ({ ...view, pictures: undefined });

/** Returns functions that make previews for the window. */
export function sitePreviews(deps: PreviewDeps, { frameOf, newest, viewOf }: SiteViews) {
  const { base, now, media, markdown } = deps;
  return {
    /** Returns a preview of a post's own page, without responses. */
    preview: async (post: Post): Promise<Preview> => {
      const frame = await frameOf(base());
      const view = withOriginals(await viewOf([post], frame));
      return { html: entryMarkup(post, view, 'page', null).markup, css: frame.appearance.style };
    },

    /** Returns a preview of a page of the site with these settings. */
    previewSite: async (site: Settings['site'], shown: PreviewedPage['shown']): Promise<Preview> => {
      const frame = await frameOf(base(), site);
      const newestPosts = await newest(postsInPreview, now());
      const found = shown === 'post' && newestPosts.length === 0 ? [examplePost] : newestPosts;
      const written = typeof shown === 'object' ? shown.text : site.about;
      const text = await markdownMarkup(written, { base: frame.base, media, markdown });
      const view = { ...withOriginals(await viewOf(found, frame)), echoOf: () => undefined };
      return sitePreview(view, { posts: found, text, shown, photo: await deps.photo(site) });
    },
  };
}

interface PreviewDeps extends Pick<ViewDeps, 'media' | 'photo'> {
  readonly base: () => string;
  readonly now: () => number;
  readonly markdown: RenderMarkdown;
}

interface PreviewedPage {
  /** The newest posts of the site. */
  readonly posts: readonly Post[];
  /** The owner's description of themselves, or the text of the page that they are writing. */
  readonly text: Html | undefined;
  readonly shown: Params<'site.preview'>['page'];
  /** The owner's photo. The preview embeds the picture, because the window loads nothing from the site. */
  readonly photo: ServedPhoto | null;
}

/** Returns a preview of a page of the site. If there are no posts, an example stands for the newest. */
function sitePreview(view: ListView, { posts, text, shown, photo }: PreviewedPage): Preview {
  const { body } = pageShown();
  const markup =
    photo === null
      ? body.markup
      : body.markup.replaceAll(`src="${view.base}/photo/${photo.name}"`, `src="${photoUrl(photo)}"`);
  return { html: markup, css: view.appearance.style };

  function pageShown(): Page {
    if (shown === 'home') return homePage(view, { items: posts }, text);
    if (shown === 'post') return postPage(view, posts[0] ?? examplePost, noResponses);
    return ownPage(view, { slug: '', title: shown.title }, text);
  }
}

const noResponses: ResponsePage = { items: [], counts: {}, answers: new Map(), page: 1, pages: 1 };

const written = '2026-01-01T12:00:00.000Z';
/** A sample post that contains every element that themes style. */
const examplePost: Post = {
  path: '/posts/example',
  type: ['h-entry'],
  properties: {
    name: ['An example'],
    category: ['example'],
    content: [
      {
        html:
          '<p>You have no posts yet, so this example shows what one will look like. It has <a href="/">a link</a>, <strong>strong words</strong> and a second paragraph.</p>' +
          '<p>Change the theme or the accent color, and this page changes with it.</p><h2>A heading</h2>' +
          '<ul><li>One thing</li><li>Another thing</li></ul><blockquote><p>A quotation, from somebody else.</p></blockquote>',
      },
    ],
  },
  commands: {},
  status: 'published',
  visibility: 'public',
  createdAt: written,
  updatedAt: written,
  deletedAt: null,
};
