import path from 'node:path';
import { checkFolder } from './check.ts';
import { GrantList } from './indieauth/grant.ts';
import { createMediaStore } from './media/media-on-disk.ts';
import { createPostStore } from './micropub/posts-on-disk.ts';
import { openSettings } from './owner/settings.ts';
import type { Clock } from './platform/clock.ts';
import type { Log } from './platform/log.ts';
import type { Pictures } from './platform/pictures.ts';
import type { Proof } from './storage/backup/backup.ts';
import { documentsIn } from './storage/data-documents.ts';
import { createMentionStore } from './webmention/mentions-on-disk.ts';

/**
 * Opens all that is in a data folder as a start would, so that its indexes are made anew, then checks it (check.ts).
 * @throws PorchlightError where a start would: a document of a newer format, or one that can't be used.
 */
export async function proveFolder(
  dir: string,
  { pictures, now, log }: { pictures: Pick<Pictures, 'measure' | 'thumbnail'>; now: Clock; log: Log },
): Promise<Proof> {
  // Nobody to tell of a recovery: then nothing is recovered, and a broken file is refused.
  const documents = documentsIn(dir);
  await openSettings({ documents, allowLoopbackMe: false });
  await documents.open('grants.json', GrantList, { grants: [] });

  const inDir = (name: string) => path.join(dir, name);
  const posts = createPostStore({ dir: inDir('posts') });
  await posts.categories();
  const media = createMediaStore({
    ...{ dir: inDir('media'), limitBytes: () => 0, removeMetadata: () => false, pictures, now },
  });
  for (let cursor: string | undefined; ;) {
    const page = await media.list({ limit: 100, cursor });
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  const mentions = createMentionStore({ dir: inDir('webmentions'), now, log });
  await mentions.pages();
  await mentions.counts();

  const { problems, ...counts } = await checkFolder(dir);
  return { counts, problems };
}
