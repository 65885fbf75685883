import type { Settings } from '../contract/settings.ts';
import type { MediaFile, MediaStore } from '../media/media-store.ts';
import type { Versions } from '../storage/versions.ts';
import { publicPhoto, type OwnerPhoto } from './stored-photo.ts';

interface SitePhotoDeps {
  /** Returns the photo in the profile. */
  readonly profilePhoto: () => OwnerPhoto | null;
  /** Returns the local media file for a URL: the owner's own file, or a copy of a remote file. */
  readonly shown: (url: string) => Promise<MediaFile | undefined>;
  readonly thumbnail: MediaStore['thumbnail'];
  readonly versions: Pick<Versions, 'of'>;
}

type SitePhoto = (site: Pick<Settings['site'], 'photo'>) => Promise<OwnerPhoto | null>;

/**
 * Creates the function that returns the site's photo. This is the photo chosen for the site or, if that one is missing
 * or can't be shown, the photo in the profile. The function caches its latest result, because every page needs the
 * photo.
 */
export function createSitePhoto({ profilePhoto, shown, thumbnail, versions }: SitePhotoDeps): SitePhoto {
  let newest: { readonly key: string; readonly photo: Promise<OwnerPhoto | null> } | undefined;

  async function chosen(url: string): Promise<OwnerPhoto | null> {
    const file = await shown(url);
    const small = file && (await thumbnail(file.path));
    return small ? publicPhoto(Buffer.from(small.bytes)) : null;
  }

  return async ({ photo: url }) => {
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
