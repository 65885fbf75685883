import type { Generator, SiteFolderSettings } from '../../contract/site-folder.ts';

type Templates = Pick<SiteFolderSettings, 'postFile' | 'postUrl' | 'mediaFile' | 'mediaUrl'>;

/** How the posts of a folder are filed. */
export interface PostFiling {
  /** The folder of the posts, with `/` at its end. */
  readonly dir: string;
  /** The name of a post's file in it. */
  readonly name: string;
}

/** Where each generator expects posts if a folder has none yet. */
const usualFiling: Readonly<Record<Generator, PostFiling>> = {
  hugo: { dir: 'content/posts/', name: '{yyyy}-{mm}-{dd}-{slug}.md' },
  jekyll: { dir: '_posts/', name: '{yyyy}-{mm}-{dd}-{slug}.md' },
  eleventy: { dir: 'posts/', name: '{yyyy}-{mm}-{dd}-{slug}.md' },
  astro: { dir: 'src/content/blog/', name: '{slug}.md' },
  zola: { dir: 'content/posts/', name: '{yyyy}-{mm}-{dd}-{slug}.md' },
  custom: { dir: 'posts/', name: '{yyyy}-{mm}-{dd}-{slug}.md' },
};

/** The folder whose files each generator copies to its site as they are. */
const copied: Readonly<Record<Generator, string>> = {
  hugo: 'static/',
  jekyll: '',
  eleventy: '',
  astro: 'public/',
  zola: 'static/',
  custom: '',
};

/** Returns the templates that fit a folder. `filing`: how its posts are filed; absent if it has none. */
export function usualTemplates(generator: Generator, filing = usualFiling[generator]): Templates {
  const section = filing.dir.replace(/^(?:src\/)?(?:content\/)?/, '').replace(/^_posts\/$/, '');
  // Astro derives the URL from the file, so it needs the same name.
  const page = generator === 'jekyll' ? '{yyyy}/{mm}/{slug}/' : `${section}{slug}/`;
  const name = generator === 'astro' ? '{slug}.md' : filing.name;
  const media = 'media/{yyyy}/{mm}/{file}';
  return {
    postFile: filing.dir + name,
    postUrl: generator === 'astro' ? `${section}{slug}/` : page,
    mediaFile: copied[generator] + media,
    mediaUrl: media,
  };
}
