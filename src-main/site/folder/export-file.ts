import type { Post } from '../../contract/posts.ts';
import { categoriesOf } from '../../post/inline-links.ts';
import type { EntryView } from '../entry.ts';
import { literal } from './clean.ts';
import { yamlFrontMatter } from './front-matter.ts';
import { htmlBody } from './post-body.ts';
import { postDate } from './post-date.ts';
import { postFields } from './post-fields.ts';

/** A post as a file of the export, which Hugo, Jekyll and Eleventy build without changes. */
export interface ExportFile {
  /**
   * The path `content/_posts/2026/11/2026-11-21-slug.html`: the name that Jekyll requires, in a folder for each
   * audience.
   */
  readonly name: string;
  readonly text: string;
}

/**
 * Returns the file of a post in the export: front matter that all three generators understand, then the HTML of
 * Porchlight's own page, because one file can't be Markdown for all of them. URLs of this site's files start at the root
 * (`/media/...`).
 */
export function exportFile(post: Post, view: EntryView): ExportFile {
  const path = `${decodeURIComponent(post.path)}/`;
  const mediaUrl = (file: string) => file;
  const fields = postFields(post, view, { path, former: [], mediaUrl }, ['hugo', 'jekyll', 'eleventy']);
  // The layouts of the export make no pages of tags, so each tag may stay. Eleventy fails on one named `constructor`.
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
