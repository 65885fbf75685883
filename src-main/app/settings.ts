import { isAbsolute, join } from 'node:path';
import { Type, type Static } from 'typebox';
import {
  initialSettings,
  Settings as SettingsSchema,
  Profile,
  type Settings,
  type SettingsPatch,
} from '../contract/settings.ts';
import { invalidRequest } from '../http/errors.ts';
import { certificateProblem } from '../address/tunnel/certificate.ts';
import { parseProfileUrl } from '../platform/web-address.ts';
import { type DataDocuments, writeDocument } from '../storage/document.ts';
import { knownPart, unchanged } from '../storage/document-format.ts';
import { previousOf } from '../storage/file-content.ts';
import { isThere } from '../storage/file-facts.ts';
import { isStoredPhoto, longestStoredPhoto } from '../site/owner-photo.ts';
import { checkPublicAddress } from '../address/public-address.ts';
import { checkSiteFolder } from '../site-folder/site-folder-settings.ts';
import { checkSiteSettings } from '../site/owner.ts';

/** The content of settings.json: all settings except the profile, which is stored in profile.json. */
const StoredSettings = Type.Omit(SettingsSchema, ['profile'], { additionalProperties: false });
type StoredSettings = Static<typeof StoredSettings>;

/** The content of profile.json. If the photo was uploaded or copied, `photo` is the picture itself (owner-photo.ts). */
const StoredProfile = Type.Object(
  { ...Profile.properties, photo: Type.String({ maxLength: longestStoredPhoto }) },
  { additionalProperties: false },
);

const { profile: initialProfile, ...initialStored } = initialSettings();

/**
 * Since format 2, `photo` may contain the picture itself. The picture is a longer string than older versions accept.
 */
export const profileFormat = {
  schema: StoredProfile,
  kind: 'profile' as const,
  format: 2,
  initial: initialProfile,
  migrations: { 1: unchanged },
};

/**
 * Format 2 added the owner's own public address, the sound of notifications, and the weekly backup. Format 3 added the
 * site, the shortcut to the editor, and the folder of the owner's own site.
 */
export const settingsFormat = {
  schema: StoredSettings,
  kind: 'settings' as const,
  format: 3,
  initial: initialStored,
  migrations: { 1: unchanged, 2: unchanged },
};

export type SettingsStore = Awaited<ReturnType<typeof openSettings>>;

interface SettingsOptions {
  readonly documents: DataDocuments;
  /** Whether `me` may be a loopback address; true only in development and tests. */
  readonly allowLoopbackMe: boolean;
  /** Called after each change. */
  readonly changed?: () => void;
}

/** Opens the owner's settings: settings.json and profile.json. */
export async function openSettings({ documents, allowLoopbackMe, changed }: SettingsOptions) {
  const settings = await documents.open('settings.json', settingsFormat);
  const profile = await documents.open('profile.json', profileFormat);
  // Settings that this version of Porchlight doesn't know stay in the files, but are ignored.
  const get = (): Settings => ({
    profile: knownPart(StoredProfile, profile.data),
    ...knownPart(StoredSettings, settings.data),
  });

  return {
    get,
    /**
     * Merges a patch into the settings, area by area. Resolves when the settings are on disk.
     * @throws PorchlightError `invalid_request` if a value is not valid. In that case, nothing changes.
     */
    async update({ profile: profilePatch, ...others }: SettingsPatch): Promise<Settings> {
      const checked = profilePatch && checkProfile(profilePatch, allowLoopbackMe);
      const rest = {
        ...others,
        ...(others.tunnel && { tunnel: checkPublicAddress(others.tunnel) }),
        ...(others.site && { site: checkSiteSettings(others.site) }),
        ...(others.siteFolder && { siteFolder: checkSiteFolder(others.siteFolder, get().siteFolder) }),
      };
      checkAggregator(rest.webmention?.aggregatorUrl);
      checkFolder(rest.backup?.folder);
      const problem = await certificateProblem(rest.cloudflared?.certificate ?? '');
      if (problem !== null) throw invalidRequest(problem);
      if (Object.keys(rest).length > 0) {
        await settings.update((data) => {
          for (const [area, values] of Object.entries(rest))
            Object.assign(data[area as keyof StoredSettings], values);
        });
      }
      if (checked) await profile.update((data) => void Object.assign(data, checked));
      changed?.();
      return get();
    },

    /**
     * Fills in a profile that is empty except for `me`. If the owner has entered anything else, or if the profile's
     * `me` differs from `found.me`, returns false and changes nothing. Resolves when the profile is on disk.
     * @throws PorchlightError `invalid_request`
     */
    async completeProfile(found: Profile): Promise<boolean> {
      const checked = checkProfile(found, allowLoopbackMe);
      // The check is part of the update, because the owner may fill in the profile while their page is being read.
      const isCompleted = await profile.update((data) => {
        if (data.me !== found.me || !saysNothing(data)) return false;
        Object.assign(data, checked);
        return true;
      });
      if (isCompleted) changed?.();
      return isCompleted;
    },

    /**
     * Replaces the photo with the given one in its stored form (storedPhotoOf), or removes it if `photo` is empty.
     * Resolves when the change is on disk.
     */
    async setPhoto(photo: string): Promise<Settings> {
      await profile.update((data) => void Object.assign(data, { photo }));
      changed?.();
      return get();
    },
  };
}

/** Returns whether a profile is empty except for the owner's address, `me`. */
export function saysNothing({ name, url, photo, email }: Profile): boolean {
  return [name, url, photo, email].every((value) => value === '');
}

/**
 * Checks settings that were read from a file: the profile, the public address, the aggregator, the site and the site's
 * folder. Applies the same rules as `update`, but always allows a loopback `me`.
 * @throws PorchlightError `invalid_request`
 */
export function checkSettings({ profile, tunnel, webmention, site, siteFolder }: Settings): void {
  checkProfile(isStoredPhoto(profile.photo) ? { ...profile, photo: '' } : profile, true);
  checkPublicAddress(tunnel);
  checkAggregator(webmention.aggregatorUrl);
  checkSiteSettings(site);
  checkSiteFolder(siteFolder, siteFolder);
}

/** Returns whether a data folder has a settings.json, or its previous version. */
export async function hasSettings(dir: string): Promise<boolean> {
  const file = join(dir, 'settings.json');
  return (await isThere(file)) || isThere(previousOf(file));
}

/** Writes the initial settings to a data folder. From then on, a missing settings.json was lost. */
export const writeInitialSettings = (dir: string): Promise<void> =>
  writeDocument(join(dir, 'settings.json'), settingsFormat, initialStored);

/** Writes all settings to a data folder that is not in use. Keeps no previous version of the files. */
export async function writeSettings(dir: string, { profile, ...settings }: Settings): Promise<void> {
  await writeDocument(join(dir, 'settings.json'), settingsFormat, settings);
  await writeDocument(join(dir, 'profile.json'), profileFormat, profile);
}

function checkProfile(patch: Partial<Profile>, allowLoopback: boolean): Partial<Profile> {
  for (const [field, value] of [
    ['url', patch.url],
    ['photo', patch.photo],
  ] as const) {
    if (value !== undefined && value !== '' && !isWebAddress(value))
      throw invalidRequest(`The profile’s ${field} isn’t a web address.`);
  }
  if (patch.email !== undefined && patch.email !== '' && !/^[^\s@]+@[^\s@]+$/.test(patch.email)) {
    throw invalidRequest('This isn’t an email address.');
  }
  if (patch.me === undefined || patch.me === null) return patch;
  const me = parseProfileUrl(patch.me, { allowLoopback });
  if (!me)
    throw invalidRequest(
      'Your domain must be an address like https://example.com/, without a port, a user name or a fragment.',
    );
  return { ...patch, me: me.href };
}

function checkAggregator(url: string | undefined): void {
  if (url !== undefined && !isWebAddress(url))
    throw invalidRequest('The aggregator’s address isn’t a web address.');
}

function checkFolder(folder: string | undefined): void {
  // Requires an absolute path, because a relative path could lead to a different folder at each start.
  if (folder !== undefined && folder !== '' && !isAbsolute(folder))
    throw invalidRequest(`“${folder}” isn’t a full path. Start at the root of the disk.`);
}

/** Returns whether a host belongs to the owner's own site or to the aggregator, both of which the owner chose. */
export function isChosenHost(host: string, { profile, webmention }: Settings): boolean {
  const named = [profile.me ?? '', webmention.aggregatorUrl];
  return named.some((url) => URL.canParse(url) && new URL(url).host === host);
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
