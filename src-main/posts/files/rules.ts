import type { SiteFolderSettings } from '../../contract/site-folder.ts';

/** The rules for storing posts as files in the owner's folder. */
export type FolderRules = Pick<
  SiteFolderSettings,
  'generator' | 'baseUrl' | 'postFile' | 'postUrl' | 'mediaFile' | 'mediaUrl' | 'media'
>;

/**
 * The format of the file that tells the site's host about moved and deleted pages. `redirects`: `_redirects` for
 * Cloudflare Pages and GitLab Pages, which can't mark a page as deleted. `netlify`: `_redirects` for Netlify. `apache`:
 * `.htaccess`.
 */
export type HostFormat = 'redirects' | 'netlify' | 'apache';

/**
 * Facts about the folder's configuration. An unknown fact is absent. In that case, Porchlight writes nothing that could
 * break the build.
 */
export interface FolderFacts {
  /** Whether Zola has the taxonomy `tags`. Without it, a page with tags makes the build fail. */
  readonly hasTags?: boolean;
  /** Whether Jekyll has the plugin jekyll-redirect-from. */
  readonly hasRedirectFrom?: boolean;
  /**
   * Whether the version of Hugo that builds the site is older than 0.123; absent if the version isn't known. Such
   * versions read `_build`; Hugo 0.157 and later versions fail on that name.
   */
  readonly isOldHugo?: boolean;
  /** The layout that Jekyll's configuration sets for posts. */
  readonly postLayout?: string;
  /** The file that tells the site's host about moved and deleted pages, if the folder has such a file. */
  readonly hostFile?: { readonly file: string; readonly format: HostFormat };
}
