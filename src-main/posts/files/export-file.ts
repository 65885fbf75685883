import type { Post } from '../../contract/posts.ts';
import { categoriesOf } from '../inline-links.ts';
import type { EntryView } from '../rendering/entry.ts';
import { literal } from './clean.ts';
import { yamlFrontMatter } from './front-matter.ts';
import { htmlBody } from './post-body.ts';
import { postDate } from './post-date.ts';
import { postFields } from './post-fields.ts';

/** A post as a file of the export, which Hugo, Jekyll and Eleventy build without changes. */
export interface ExportFile {
  /**
   * The path, such as `content/_posts/2026/11/2026-11-21-slug.html`, in the form that Jekyll requires. Public posts,
   * unlisted posts, private posts and drafts each have their own folder.
   */
  readonly name: string;
  readonly text: string;
}

/**
 * Returns the export file of a post: front matter that Hugo, Jekyll and Eleventy understand, followed by the HTML of
 * the post's page on the built-in site. The text isn't Markdown, because no Markdown works in all three generators. The
 * URLs of this site's files start with a slash (`/media/...`).
 */
export function postExportFile(post: Post, view: EntryView): ExportFile {
  const path = `${decodeURIComponent(post.path)}/`;
  const mediaUrl = (file: string) => file;
  const fields = postFields(post, view, { path, former: [], mediaUrl }, ['hugo', 'jekyll', 'eleventy']);
  // The export leaves out tags on which Eleventy fails, such as `constructor`. It keeps tags that can't be page names,
  // because the export has no tag pages.
  const tags = categoriesOf(post).filter((tag) => !(tag in Object.prototype));
  const front = yamlFrontMatter({
    ...fields,
    url: path,
    permalink: path,
    tags: tags.length > 0 ? tags : undefined,
  });
  return { name: nameOf(post), text: `${front}${literal(htmlBody(post, view, mediaUrl))}\n` };
}

function nameOf(post: Post): string {
  const [year = '', month = '', slug = ''] = decodeURIComponent(post.path).split('/').slice(2);
  return `${folderOf(post)}/${year}/${month}/${postDate(post).slice(0, 10)}-${slug}.html`;
}

function folderOf({ status, visibility }: Post): string {
  if (visibility === 'private') return 'private';
  if (status === 'draft') return 'drafts';
  return visibility === 'unlisted' ? 'content/_unlisted' : 'content/_posts';
}
