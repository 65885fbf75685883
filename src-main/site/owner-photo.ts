import { createHash } from 'node:crypto';
import type { Profile, Settings } from '../contract/settings.ts';
import type { Media } from '../media/part.ts';
import type { Versions } from '../storage/caches.ts';

/** The owner's photo as the public sees it. */
export interface OwnerPhoto {
  /** A file name, such as `4f0c2a91d3b7e865.webp`. It is derived from the content, so a new photo gets a new URL. */
  readonly name: string;
  /** A WebP picture without metadata. */
  readonly bytes: Buffer;
}

/**
 * The maximum width and height of a stored photo, in pixels. No page shows the photo in a larger size, and a photo of
 * this size fits into a JSON document.
 */
export const photoEdge = 512;

/**
 * The maximum length of a stored photo, in characters. A photo of 512 by 512 pixels needs fewer characters, even if the
 * photo is pure noise.
 */
export const longestStoredPhoto = 700_000;

const storedForm = /^data:image\/webp;base64,([A-Za-z0-9+/]+={0,2})$/;

/** Returns a photo as a data URL. This URL is stored in profile.json, so the photo always stays with the profile. */
export function storedPhotoOf(webp: Uint8Array): string {
  return `data:image/webp;base64,${Buffer.from(webp).toString('base64')}`;
}

/**
 * Returns whether a profile's `photo` contains the picture itself. If it doesn't, `photo` is empty or a URL on another
 * server.
 */
export function isStoredPhoto(photo: string): boolean {
  return readPhoto(photo) !== null;
}

let newest: { readonly photo: string; readonly read: OwnerPhoto | null } = { photo: '', read: null };

/** Returns the picture in a profile; null if the profile contains no picture. */
export function ownerPhotoOf({ photo }: Pick<Profile, 'photo'>): OwnerPhoto | null {
  // Caches the result, because every page and every token response needs the photo.
  if (newest.photo !== photo) newest = { photo, read: readPhoto(photo) };
  return newest.read;
}

function readPhoto(photo: string): OwnerPhoto | null {
  if (photo.length > longestStoredPhoto) return null;
  const [, data] = storedForm.exec(photo) ?? [];
  if (data === undefined) return null;
  const bytes = Buffer.from(data, 'base64');
  if (!/^RIFF.{4}WEBP/s.test(bytes.toString('latin1', 0, 12))) return null;
  return publicPhoto(bytes);
}

/** Returns a WebP picture together with its public file name. */
function publicPhoto(bytes: Buffer): OwnerPhoto {
  return { name: `${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.webp`, bytes };
}

/** Returns the profile with the photo's public URL in place of the picture. `base`: returns the public origin. */
export function withPhotoAddress(profile: Profile, base: () => string): Profile {
  if (!profile.photo.startsWith('data:')) return profile;
  const photo = ownerPhotoOf(profile);
  return { ...profile, photo: photo === null ? '' : `${base()}/photo/${photo.name}` };
}

/**
 * Creates the function that returns the site's photo. This is the photo chosen for the site or, if that one is missing
 * or can't be shown, the photo in the profile. The function caches its latest result, because every page needs the
 * photo. `profilePhoto`: returns the photo in the profile.
 */
export function createSitePhoto(
  profilePhoto: () => OwnerPhoto | null,
  media: Pick<Media, 'store' | 'shown'>,
  versions: Versions,
) {
  let newest: { readonly key: string; readonly photo: Promise<OwnerPhoto | null> } | undefined;

  async function chosen(url: string): Promise<OwnerPhoto | null> {
    const file = await media.shown(url);
    const small = file && (await media.store.thumbnail(file.path));
    return small ? publicPhoto(Buffer.from(small.bytes)) : null;
  }

  return async ({ photo: url }: Pick<Settings['site'], 'photo'>): Promise<OwnerPhoto | null> => {
    if (url === '') return profilePhoto();
    const key = `${versions.of('profile')} ${versions.of('media')} ${url}`;
    if (newest?.key !== key) newest = { key, photo: chosen(url) };
    const asked = newest;
    const forget = () => {
      if (newest === asked) newest = undefined;
    };
    const found = await asked.photo.catch((error: unknown) => {
      forget();
      throw error;
    });
    // The photo may be missing only because the thread that makes thumbnails was too busy. So try again for the next
    // page.
    if (found === null) forget();
    return found ?? profilePhoto();
  };
}
