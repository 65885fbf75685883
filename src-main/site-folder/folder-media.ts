import type { SiteFolderSettings } from '../contract/site-folder.ts';
import type { MediaStore } from '../media/media-store.ts';
import type { OwnerPostStore } from '../posts/micropub/owner-post-store.ts';
import { folderMediaPlace } from '../posts/files/addresses.ts';

interface FolderMediaDeps {
  readonly settings: () => SiteFolderSettings;
  readonly posts: Pick<OwnerPostStore, 'mediaOfHomes' | 'get'>;
  readonly media: Pick<MediaStore, 'get'>;
}

/**
 * Returns the paths of posts whose media file was deleted in Porchlight but is still in the owner's folder. These posts
 * must be published again. A file is left over if the disk was full, or if Porchlight was killed before it scheduled
 * publishing.
 */
export async function postsWithDeletedMedia({ settings, posts, media }: FolderMediaDeps): Promise<string[]> {
  const isThere = new Map<string, boolean>();
  const found = new Set<string>();
  for (const { path, media: file } of await posts.mediaOfHomes()) {
    if (found.has(path)) continue;
    if (!isThere.has(file)) isThere.set(file, (await media.get(file)) !== undefined);
    if (isThere.get(file)) continue;
    const written = (await posts.get(path))?.home?.written ?? {};
    if (folderMediaPlace(file, settings()).file in written) found.add(path);
  }
  return [...found];
}
