import type { Handlers } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { Profile, Settings, SettingsPatch } from '../contract/settings.ts';
import type { Common } from '../http/common.ts';
import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import { parseProfileUrl } from '../platform/web-address.ts';
import { ownerPhotoOf, photoEdge, storedPhotoOf, withPhotoAddress } from '../site/owner-photo.ts';
import { fetchedPage, type FetchedPage } from '../untrusted/pages/fetched-page.ts';
import { pictureFormat } from '../untrusted/pictures/picture-format.ts';
import type { Pictures } from '../untrusted/pictures/pictures.ts';
import { saysNothing, type SettingsStore } from './settings.ts';

interface IdentifyingDeps
  extends
    Pick<Common, 'base' | 'allowPrivate' | 'background'>,
    Omit<ProfileDeps, 'shown' | 'allowLoopbackMe'> {
  readonly pictures: Pictures;
}

/** Opens the part of the service that provides the owner's settings, profile and photo. */
export function createIdentifying(deps: IdentifyingDeps) {
  const { settings, base, background, changed } = deps;
  const stored = () => settings.get().profile;
  const shown = (all: Settings): Settings => ({ ...all, profile: withPhotoAddress(all.profile, base) });
  const photoDeps: PhotoDeps = { ...deps, shown };
  const profileDeps: ProfileDeps = {
    ...deps,
    shown,
    allowLoopbackMe: deps.allowPrivate,
    changed(patch) {
      changed(patch);
      if (patch.profile?.photo !== undefined) background(copyRemotePhoto(photoDeps));
    },
  };
  return {
    handlers: {
      ...settingsHandlers(profileDeps),
      ...photoHandlers(photoDeps),
    } satisfies Partial<Handlers>,
    /** Returns the public profile, with the photo as a URL. */
    profile: () => withPhotoAddress(stored(), base),
    /** Returns the settings as the window sees them, with the photo as a URL. */
    settings: () => shown(settings.get()),
    photo: () => ownerPhotoOf(stored()),
    /** Fills in missing profile fields from the owner's site, and copies a photo that is on another server. */
    async start(): Promise<void> {
      await completeProfile({ ...profileDeps, changed });
      await copyRemotePhoto(photoDeps);
    },
  };
}

interface ProfileDeps {
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

function settingsHandlers(deps: ProfileDeps) {
  return {
    'settings.get': () => deps.shown(deps.settings.get()),
    'settings.update': async (requested): Promise<Settings> => {
      const patch = withoutOwnPhoto(requested, deps.shown(deps.settings.get()));
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

interface PhotoDeps {
  readonly settings: SettingsStore;
  readonly fetch: GuardedFetch;
  readonly pictures: Pick<Pictures, 'portrait'>;
  /** Returns the settings as the window sees them. */
  readonly shown: (settings: Settings) => Settings;
}

/** The maximum size of a picture to fetch, in bytes. Pictures on home pages are smaller. */
const maxBytes = 30_000_000;
const timeoutMs = 30_000;

/** Creates the handlers for the window's calls about the owner's photo. */
function photoHandlers({ settings, pictures, shown }: PhotoDeps) {
  return {
    'profile.photo': () => {
      const { photo } = settings.get().profile;
      return { dataUrl: ownerPhotoOf({ photo }) === null ? null : photo };
    },
    'profile.setPhoto': async ({ data }) => {
      const bytes = Buffer.from(data, 'base64');
      return shown(
        await settings.setPhoto(await photoFrom(bytes, (edge) => pictures.portrait(bytes, { edge }))),
      );
    },
    'profile.removePhoto': async () => shown(await settings.setPhoto('')),
  } satisfies Partial<Handlers>;
}

/**
 * Replaces the URL of a photo on another server with a copy of the photo, so that Porchlight serves the photo from now
 * on. If copying fails, the profile keeps the URL, which apps can still use.
 * @throws PorchlightError with a message for the owner.
 */
async function copyRemotePhoto({ settings, fetch, pictures }: PhotoDeps): Promise<void> {
  const { photo } = settings.get().profile;
  if (!/^https?:/i.test(photo)) return;
  const { status, body } = await fetch(photo, { accept: 'image/*', maxBytes, timeoutMs });
  if (status !== 200) throw new PorchlightError('bad_status', `${photo} answers with status ${status}.`);
  const copy = await photoFrom(body, (edge) => pictures.portrait(body, { edge, from: { address: photo } }));
  // The owner may have chosen another photo in the meantime.
  if (settings.get().profile.photo === photo) await settings.setPhoto(copy);
}

/** Converts a picture file to the form in which photos are stored: shrunk and without metadata. */
async function photoFrom(
  bytes: Uint8Array,
  shrink: (edge: number) => Promise<Uint8Array | null>,
): Promise<string> {
  if (pictureFormat(bytes, bytes.length) === undefined)
    throw new PorchlightError(
      'invalid_request',
      'The file isn’t a picture. Choose a JPEG, PNG, WebP or GIF file.',
    );
  const small = await shrink(photoEdge);
  if (small === null)
    throw new PorchlightError(
      'invalid_request',
      'Porchlight can’t read this picture. Save it as a JPEG or PNG file, then try again.',
    );
  return storedPhotoOf(small);
}
