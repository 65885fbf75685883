import type { Generator } from '../../contract/site-folder.ts';
import type { EntryView } from '../rendering/entry.ts';
import { folderMediaPlace, sitePath } from './addresses.ts';
import { tomlFrontMatter, yamlFrontMatter, type Fields } from './front-matter.ts';
import type { PostAtHome } from './live-mark.ts';
import { htmlBlock, htmlPostBody, postBody, type Body, type PostMarkdown } from './post-body.ts';
import { postFields } from './post-fields.ts';
import type { FolderFacts, FolderRules } from './rules.ts';

/** A post's file in the folder, and the media files that its page shows. */
export interface PostFile {
  /** The file's path, relative to the folder. Its extension can differ from the one in the planned `home.file`. */
  readonly file: string;
  readonly text: string;
  /** The media files. `path`: the path on this server (`/media/...`). `file`: the path relative to the folder. */
  readonly media: readonly { readonly path: string; readonly file: string }[];
}

/**
 * Returns the file of a post: front matter, followed by Markdown or by the HTML of the post's page on the built-in
 * site. Markdown and HTML both contain a hidden mark by which `liveState` recognizes the page. `postMarkdown`: converts
 * the post's text.
 * @throws the errors of `postMarkdown`
 */
export async function postFile(
  post: PostAtHome,
  view: EntryView,
  rules: FolderRules,
  postMarkdown: PostMarkdown,
  facts: FolderFacts = {},
): Promise<PostFile> {
  const { generator, baseUrl } = rules;
  const media = new Map<string, string>();
  const mediaUrl = (path: string): string => {
    // If media files stay on Porchlight's own site, the post links to that site.
    if (rules.media === 'porch' || !/^\/media\/\d{4}\/\d{2}\/[^/]+$/.test(path))
      return new URL(path, view.base).href;
    const place = folderMediaPlace(path, rules);
    media.set(path, place.file);
    return new URL(place.url).pathname;
  };
  const { home } = post;
  const former = home.former.flatMap((url) => sitePath(url, baseUrl) ?? []);
  const path = sitePath(home.url, baseUrl) ?? new URL(home.url).pathname;
  const fields = postFields(post, view, { path, former, mediaUrl }, [generator], facts);
  const { file, text, more } =
    generator === 'jekyll' && post.visibility === 'unlisted'
      ? jekyllPage(home.file, htmlPostBody(post, view, mediaUrl), facts)
      : inForm(home.file, await postBody(post, view, generator, { mediaUrl, postMarkdown }), generator);
  const front =
    generator === 'zola' ? tomlFrontMatter({ ...fields, ...more }) : yamlFrontMatter({ ...fields, ...more });
  return {
    file,
    text: `${front}\n${text}`,
    media: [...media].map(([from, to]) => ({ path: from, file: to })),
  };
}

/**
 * Returns a post as a Jekyll page outside the folder of posts, because Jekyll lists every post in that folder. The page
 * has no title, because themes list pages that have a title. The page is HTML, because Jekyll would take the first
 * heading of a Markdown page as its title.
 */
function jekyllPage(
  homeFile: string,
  { text }: Body,
  { postLayout = 'post' }: FolderFacts,
): { readonly file: string; readonly text: string; readonly more: Fields } {
  const file = homeFile.replace(/^(.*?\/)?_[^/]*\//, '$1unlisted/').replace(/\.(?:md|markdown)$/, '.html');
  return { file, text, more: { title: undefined, layout: postLayout } };
}

/**
 * Returns a body in a form that the generator renders unchanged: Markdown, or HTML in an HTML file. Zola and Astro read
 * only Markdown files, in which the HTML is a single block.
 */
function inForm(
  homeFile: string,
  { format, text }: Body,
  generator: Generator,
): { readonly file: string; readonly text: string; readonly more: Fields } {
  const isInMarkdown = ['zola', 'astro'].includes(generator);
  if (format === 'html' && isInMarkdown) return { file: homeFile, text: htmlBlock(text), more: {} };
  const file = format === 'html' ? homeFile.replace(/\.(?:md|markdown)$/, '.html') : homeFile;
  // Without `templateEngineOverride`, Eleventy would run the text as a template.
  const engine = format === 'html' ? false : 'md';
  return { file, text, more: generator === 'eleventy' ? { templateEngineOverride: engine } : {} };
}
