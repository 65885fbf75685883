import type { Handlers } from '../contract/contract.ts';
import type { Profile, Settings, SettingsPatch } from '../contract/settings.ts';
import { ownerPhotoOf, withPhotoAddress, type OwnerPhoto } from '../owner/owner-photo.ts';
import { copyRemotePhoto, photoHandlers, type PhotoDeps } from '../owner/profile-photo.ts';
import { completeProfile, settingsHandlers, type ProfileDeps } from '../owner/profile.ts';
import type { SettingsStore } from '../owner/settings.ts';
import type { Background } from '../platform/background.ts';
import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import type { Pictures } from '../platform/pictures.ts';

export interface IdentifyingDeps {
  readonly settings: SettingsStore;
  readonly base: () => string;
  readonly fetch: GuardedFetch;
  readonly pictures: Pictures;
  readonly readProfile: ProfileDeps['readProfile'];
  /** Development and tests only: accepts a loopback address as the profile URL. */
  readonly allowLoopbackMe: boolean;
  readonly tell: Background;
  /** Called with the changes after the settings have changed. */
  readonly changed: (patch: SettingsPatch) => void;
}

/** The part of the service that knows who the owner is. */
export interface Identifying {
  readonly handlers: ReturnType<typeof settingsHandlers> & ReturnType<typeof photoHandlers>;
  /** The public profile, with the photo as a URL. */
  readonly profile: () => Profile;
  /** The settings as the window sees them, with the photo as a URL. */
  readonly settings: () => Settings;
  readonly photo: () => OwnerPhoto | null;
  /** Fills in missing profile fields from the owner's site, and copies a photo that is on another server. */
  start(): Promise<void>;
}

/** Wires the settings, the profile and the photo. */
export function createIdentifying(deps: IdentifyingDeps): Identifying {
  const { settings, base, fetch, pictures, tell, changed } = deps;
  const stored = () => settings.get().profile;
  const shown = (all: Settings): Settings => ({ ...all, profile: withPhotoAddress(all.profile, base) });
  const photoDeps: PhotoDeps = { settings, fetch, pictures, shown };
  const profileDeps: ProfileDeps = {
    ...{ settings, fetch, shown, readProfile: deps.readProfile, allowLoopbackMe: deps.allowLoopbackMe },
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
    profile: () => withPhotoAddress(stored(), base),
    settings: () => shown(settings.get()),
    photo: () => ownerPhotoOf(stored()),
    async start() {
      await completeProfile({ ...profileDeps, changed });
      await copyRemotePhoto(photoDeps);
    },
  };
}
