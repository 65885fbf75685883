import type { Post } from '../contract/posts.ts';
import type { Html } from '../http/html.ts';
import { entryMarkup, type EntryView } from './entry.ts';
import { homePage, type ListView } from './list-page.ts';
import type { Look } from './look.ts';
import type { ServedPhoto } from './owner-photo.ts';
import { postPage } from './post-page.ts';
import type { ResponsePage } from './responses.ts';
import { contentMarkup } from './rich-text.ts';
import { propertyValues } from '../post/values.ts';

/**
 * Returns a post's content as the site shows it, sanitized, for a window that fetches nothing from the web: pictures,
 * video and audio become links or their alt text. Empty if the post has no content.
 */
export function contentHtml({ properties }: Post, base: string): string {
  return contentMarkup(propertyValues(properties, 'content')[0], base)?.markup ?? '';
}

/** Markup that a window shows without scripts, and the style for it. */
export interface Preview {
  readonly html: string;
  readonly css: string;
}

/** Returns a post as its own page shows it, without responses. */
export function postPreview(post: Post, view: EntryView, look: Look): Preview {
  return { html: entryMarkup(post, view, 'page', null).markup, css: look.style };
}

interface PreviewedPage {
  /** The newest posts. */
  readonly posts: readonly Post[];
  readonly about: Html | undefined;
  readonly shown: 'home' | 'post';
  /** The photo in the view. It becomes a part of the markup, because the window loads nothing from the site. */
  readonly photo: ServedPhoto | null;
}

/** Returns the home page or the newest post's page. Without posts, an example takes the post's place. */
export function sitePreview(view: ListView, { posts, about, shown, photo }: PreviewedPage): Preview {
  const page =
    shown === 'home'
      ? homePage(view, { items: posts }, about)
      : postPage(view, posts[0] ?? examplePost, noResponses);
  const { body } = page;
  const dataUrl =
    photo === null ? '' : `data:image/webp;base64,${Buffer.from(photo.bytes).toString('base64')}`;
  const markup =
    photo === null
      ? body.markup
      : body.markup.replaceAll(`src="${view.base}/photo/${photo.name}"`, `src="${dataUrl}"`);
  return { html: markup, css: view.look.style };
}

const noResponses: ResponsePage = { items: [], counts: {}, answers: new Map(), page: 1, pages: 1 };

const written = '2026-01-01T12:00:00.000Z';
/** A post with the elements that themes style. */
export const examplePost: Post = {
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
