import type { Generator, SiteFolderSettings } from '../contract/site-folder.ts';

type Templates = Pick<SiteFolderSettings, 'postFile' | 'postUrl' | 'mediaFile' | 'mediaUrl'>;

/** The folder in which a site keeps its posts, and the names of their files. */
export interface PostFiling {
  /** The folder of the posts, with a trailing `/`. */
  readonly dir: string;
  /** The template for the name of a post's file in that folder. */
  readonly name: string;
}

/** The folder and the file names that each generator expects, for a site without posts. */
const usualFiling: Readonly<Record<Generator, PostFiling>> = {
  hugo: { dir: 'content/posts/', name: '{yyyy}-{mm}-{dd}-{slug}.md' },
  jekyll: { dir: '_posts/', name: '{yyyy}-{mm}-{dd}-{slug}.md' },
  eleventy: { dir: 'posts/', name: '{yyyy}-{mm}-{dd}-{slug}.md' },
  astro: { dir: 'src/content/blog/', name: '{slug}.md' },
  zola: { dir: 'content/posts/', name: '{yyyy}-{mm}-{dd}-{slug}.md' },
  custom: { dir: 'posts/', name: '{yyyy}-{mm}-{dd}-{slug}.md' },
};

/** The folder whose files each generator copies to the built site unchanged. */
const copied: Readonly<Record<Generator, string>> = {
  hugo: 'static/',
  jekyll: '',
  eleventy: '',
  astro: 'public/',
  zola: 'static/',
  custom: '',
};

/**
 * Returns the folder whose files a generator copies to the built site unchanged. The path is empty for the site's root,
 * and ends with a slash otherwise.
 */
export const copiedFolder = (generator: Generator) => copied[generator];

/** Returns the templates that fit a folder. `filing`: how the folder's posts are stored; absent if it has no posts. */
export function usualTemplates(generator: Generator, filing = usualFiling[generator]): Templates {
  const section = filing.dir.replace(/^(?:src\/)?(?:(?:content|data)\/)?/, '').replace(/^_posts\/$/, '');
  // Astro derives a page's URL from its file name, so both templates must use the same name.
  const page = generator === 'astro' ? filing.name.replace(/\.md$/, '') : '{slug}';
  const media = 'media/{yyyy}/{mm}/{file}';
  return {
    postFile: filing.dir + filing.name,
    postUrl: generator === 'jekyll' ? '{yyyy}/{mm}/{slug}/' : `${section}${page}/`,
    mediaFile: copied[generator] + media,
    mediaUrl: media,
  };
}
