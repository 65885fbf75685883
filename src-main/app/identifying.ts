import type { Pictures } from '../untrusted/pictures/pictures.ts';
import type { Handlers } from '../contract/contract.ts';
import type { Settings, SettingsPatch } from '../contract/settings.ts';
import { ownerPhotoOf, withPhotoAddress } from '../site/stored-photo.ts';
import { copyRemotePhoto, photoHandlers, type PhotoDeps } from './profile-photo.ts';
import { completeProfile, settingsHandlers, type ProfileDeps } from './profile.ts';
import type { SettingsStore } from './settings.ts';
import type { Common } from '../http/common.ts';

interface IdentifyingDeps extends Pick<Common, 'base' | 'fetch' | 'allowPrivate' | 'tell'> {
  readonly pictures: Pictures;
  readonly settings: SettingsStore;
  readonly readProfile: ProfileDeps['readProfile'];
  /** Called after the settings have changed, with the changes. */
  readonly changed: (patch: SettingsPatch) => void;
}

/** Opens the part of the service that provides the owner's settings, profile and photo. */
export function createIdentifying(deps: IdentifyingDeps) {
  const { settings, base, fetch, pictures, tell, changed, readProfile, allowPrivate } = deps;
  const stored = () => settings.get().profile;
  const shown = (all: Settings): Settings => ({ ...all, profile: withPhotoAddress(all.profile, base) });
  const photoDeps: PhotoDeps = { settings, fetch, pictures, shown };
  const profileDeps: ProfileDeps = {
    ...{ settings, fetch, shown, readProfile, allowLoopbackMe: allowPrivate },
    changed(patch) {
      changed(patch);
      if (patch.profile?.photo !== undefined) tell(copyRemotePhoto(photoDeps));
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
