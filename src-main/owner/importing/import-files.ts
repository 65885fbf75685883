import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { PorchlightError } from '../../contract/error.ts';
import type { MediaStore } from '../../media/media-store.ts';
import { isWebUrl, type FoundMedia, type FoundPost } from './found-post.ts';
import type { RunJournal } from './import-journal.ts';
import type { ReportWriter } from './import-report.ts';

interface FileDeps {
  readonly media: Pick<MediaStore, 'add' | 'get' | 'delete'>;
  /** Returns the public origin. */
  readonly base: () => string;
}

interface FilesOf {
  readonly key: string;
  /** The paths of files that earlier runs recorded, by file key. */
  readonly known: ReadonlyMap<string, string> | undefined;
  readonly journal: RunJournal;
  readonly report: ReportWriter;
}

/**
 * Returns a function that adds a post's files to the media store. The function returns the URL of each file, and
 * reports the files that can't be added.
 */
export function fileImporter({ media, base }: FileDeps) {
  return async function addFiles(
    found: FoundPost,
    { key, known, journal, report }: FilesOf,
  ): Promise<Map<FoundMedia, string>> {
    const urls = new Map<FoundMedia, string>();
    for (const one of found.media) {
      const { source } = one;
      if (typeof source === 'string') {
        if (isWebUrl(source)) urls.set(one, source);
        else report.skip(source, 'The archive doesn’t contain this file.');
        continue;
      }
      const fileKey = `${key} ${createHash('sha256').update(source.path).digest('base64url').slice(0, 22)}`;
      const earlier = known?.get(fileKey);
      try {
        const file =
          (earlier === undefined ? undefined : await media.get(earlier)) ??
          (await media.add(source.content({ toEnd: true }), {
            name: basename(source.path),
            placing: (path) => journal.file(fileKey, path),
          }));
        if (file.kind === 'document') {
          // The file has the name of a picture but contains something else, such as text.
          await media.delete(file.path);
          throw new PorchlightError('invalid_request', 'The file isn’t a picture, a video or audio.');
        }
        urls.set(one, new URL(file.path, base()).href);
      } catch (error) {
        const isFileAtFault =
          error instanceof PorchlightError && ['invalid_request', 'archive_broken'].includes(error.code);
        if (!isFileAtFault) throw error;
        report.skip(source.path, error.message.replace('The archive can’t be imported. ', ''));
      }
    }
    return urls;
  };
}
