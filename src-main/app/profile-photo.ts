import type { Handlers } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { Settings } from '../contract/settings.ts';
import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import { pictureFormat } from '../untrusted/pictures/picture-format.ts';
import type { Pictures } from '../untrusted/pictures/pictures.ts';
import { ownerPhotoOf, photoEdge, storedPhotoOf } from '../site/stored-photo.ts';
import type { SettingsStore } from './settings.ts';

export interface PhotoDeps {
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
export function photoHandlers({ settings, pictures, shown }: PhotoDeps) {
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
export async function copyRemotePhoto({ settings, fetch, pictures }: PhotoDeps): Promise<void> {
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
