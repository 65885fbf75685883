import type { SiteFolderSettings } from '../../contract/site-folder.ts';

/** The rules by which posts become files of one folder. */
export type FolderRules = Pick<
  SiteFolderSettings,
  'generator' | 'baseUrl' | 'postFile' | 'postUrl' | 'mediaFile' | 'mediaUrl' | 'media'
>;

/**
 * What the folder's configuration allows. Without these facts, a file has nothing that could fail in a folder where it
 * isn't configured.
 */
export interface FolderFacts {
  /** Whether the configuration of Zola has the taxonomy `tags`. Without it, a page with tags fails the build. */
  readonly hasTags?: boolean;
  /** Whether Jekyll has the plugin jekyll-redirect-from. */
  readonly hasRedirectFrom?: boolean;
  /** Whether Hugo is older than 0.123, which reads `_build`. Hugo 0.157 and later fails on that name. */
  readonly isOldHugo?: boolean;
}
