import type { Handlers } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { Profile, Settings, SettingsPatch } from '../contract/settings.ts';
import { fetchedPage, type FetchedPage } from '../untrusted/pages/fetched-page.ts';
import { parseProfileUrl } from '../platform/web-address.ts';
import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import { saysNothing, type SettingsStore } from './settings.ts';

export interface ProfileDeps {
  readonly settings: SettingsStore;
  readonly fetch: GuardedFetch;
  /**
   * Reads a page on another thread. Returns the profile of the person whom the page is about; null if the page has no
   * profile.
   */
  readonly readProfile: (page: FetchedPage) => Promise<Omit<Profile, 'me'> | null>;
  readonly allowLoopbackMe: boolean;
  /** Returns the settings as the window sees them. */
  readonly shown: (settings: Settings) => Settings;
  /** Called with the patch after the settings have changed. */
  readonly changed: (patch: SettingsPatch) => void;
}

/**
 * Reads the profile on the page at `url`.
 * @throws PorchlightError with a message for the owner.
 */
async function profileAt(deps: ProfileDeps, url: string): Promise<Profile> {
  const { fetch, allowLoopbackMe } = deps;
  const me = parseProfileUrl(url, { allowLoopback: allowLoopbackMe });
  if (!me)
    throw new PorchlightError('invalid_request', 'This isn’t a web address like https://example.com/.');
  const page = await fetch(me.href, { accept: 'text/html' });
  if (page.status !== 200)
    throw new PorchlightError('bad_status', `${me.href} responded with status ${page.status}.`);
  const found = await deps.readProfile(fetchedPage(page));
  if (!found)
    throw new PorchlightError(
      'no_profile',
      `${me.href} has no h-card, so Porchlight can’t read your name and photo from it.`,
    );
  return { me: me.href, ...found };
}

/**
 * Completes a profile in which only `me` is set: reads the page at `me`, and fills in the rest of the profile from that
 * page. Used with the --me option.
 */
export async function completeProfile(deps: ProfileDeps): Promise<void> {
  const { profile } = deps.settings.get();
  if (profile.me === null || !saysNothing(profile)) return;
  const found = { ...(await profileAt(deps, profile.me)), me: profile.me };
  if (await deps.settings.completeProfile(found)) deps.changed({ profile: found });
}

export function settingsHandlers(deps: ProfileDeps) {
  return {
    'settings.get': () => deps.shown(deps.settings.get()),
    'settings.update': async (wanted): Promise<Settings> => {
      const patch = withoutOwnPhoto(wanted, deps.shown(deps.settings.get()));
      const updated = await deps.settings.update(patch);
      deps.changed(patch);
      return deps.shown(updated);
    },
    'profile.read': ({ url }) => profileAt(deps, url),
  } satisfies Partial<Handlers>;
}

/**
 * Returns the patch without its photo if that photo is just the current photo's public URL. The window sends this URL
 * back unchanged, and it must not replace the stored picture.
 */
function withoutOwnPhoto(patch: SettingsPatch, shown: Settings): SettingsPatch {
  const { photo, ...profile } = patch.profile ?? {};
  return photo === undefined || photo !== shown.profile.photo ? patch : { ...patch, profile };
}
