import type { Handlers, Result } from '../contract/contract.ts';
import type { Settings } from '../contract/settings.ts';
import { checkSiteSettings } from './site-settings.ts';

interface SiteDeps {
  readonly settings: () => Settings['site'];
  readonly preview: (settings: Settings['site'], page: 'home' | 'post') => Promise<Result<'site.preview'>>;
}

/** Creates the handlers for the window's calls about the built-in site. */
export function siteHandlers({ settings, preview }: SiteDeps) {
  return {
    'site.preview': ({ site, page }) => preview({ ...settings(), ...checkSiteSettings(site) }, page),
  } satisfies Partial<Handlers>;
}
