import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import type { MediaStore } from '../media/media-store.ts';
import type { ThreadArchive } from './archive-thread.ts';
import type { FileInArchive } from './archive.ts';
import { isWebUrl, type FoundMedia, type FoundPost } from './found-post.ts';
import type { Recorded, RunRecords } from './import-records.ts';
import type { ReportWriter } from './import-report.ts';

/** The maximum length of a file's name in the list of what a post loses. */
const longestName = 200;

interface FileDeps {
  readonly media: Pick<MediaStore, 'add' | 'get' | 'delete'>;
  /** Returns the public origin. */
  readonly base: () => string;
}

interface FilesOfRun {
  readonly archive: Pick<ThreadArchive, 'content'>;
  readonly recorded: Recorded;
  readonly run: RunRecords;
  /** The id of the run that this import continues. */
  readonly begun: string | undefined;
  readonly report: ReportWriter;
}

type FileToAdd = { readonly source: FileInArchive } & Pick<FoundMedia, 'kept'>;
export type FileImporter = ReturnType<typeof fileImporter>;

/** Returns what identifies a file of an archive in the records of imports. `path`: of the file in the archive. */
export const fileHash = (path: string) => createHash('sha256').update(path).digest('base64url').slice(0, 22);

/**
 * Returns a function that adds a post's files to the media store. The function returns the URL of each of the post's
 * media, in the same order, and names those that can't be added in `lost` and in the report. A file that several posts show is added once, so
 * that a small archive can't fill the disk with copies.
 */
export function fileImporter(
  { media, base }: FileDeps,
  { archive, recorded, run, begun, report }: FilesOfRun,
) {
  const added = new Map<string, Promise<string>>();

  async function stored(path: string | undefined): Promise<string | undefined> {
    return path === undefined ? undefined : (await media.get(path))?.path;
  }

  async function add({ source, kept }: FileToAdd, key: string, hash: string): Promise<string> {
    const file = await media.add(archive.content(source), {
      name: kept?.name ?? basename(source.path),
      wasStored: kept !== undefined,
      placing: (path) => run.file(key, hash, path),
    });
    // An export of Porchlight contains every type of file that apps may upload.
    if (file.kind !== 'document' || kept) return file.path;
    // The file has the name of a picture but contains something else, such as text.
    await media.delete(file.path);
    throw new PorchlightError('invalid_request', 'The file isn’t a picture, a video or audio.');
  }

  /** Returns the path of a file in the media store. Adds the file if it isn't there. */
  async function pathOf(file: FileToAdd, key: string): Promise<string> {
    const { source, kept } = file;
    const hash = fileHash(kept?.path ?? source.path);
    const own = await stored(recorded.file(key, hash));
    if (own !== undefined) return own;
    const earlier = async () => {
      const begunPath = begun === undefined ? undefined : await stored(recorded.fileOfAny(hash, begun));
      // Nobody can guess the path of a file in an export, so a known path means that it is the same file.
      return begunPath ?? (kept && ((await stored(kept.path)) ?? (await stored(recorded.fileOfAny(hash)))));
    };
    const path = added.get(hash) ?? earlier().then((found) => found ?? add(file, key, hash));
    added.set(hash, path);
    return path;
  }

  return async function addFiles(
    found: Pick<FoundPost, 'media'>,
    key: string,
  ): Promise<{ urls: (string | undefined)[]; lost: string[] }> {
    const urls: (string | undefined)[] = [];
    const lost: string[] = [];
    const lose = (name: string, why: string) => {
      report.skip(name, why);
      lost.push(`the file ${name.slice(0, longestName)}`);
      urls.push(undefined);
    };
    for (const { source, kept } of found.media) {
      if (typeof source === 'string') {
        if (isWebUrl(source)) urls.push(source);
        else lose(source, 'The archive doesn’t contain this file.');
        continue;
      }
      try {
        urls.push(new URL(await pathOf({ source, kept }, key), base()).href);
      } catch (error) {
        const isFileAtFault =
          error instanceof PorchlightError && ['invalid_request', 'archive_broken'].includes(error.code);
        if (!isFileAtFault) throw error;
        lose(source.path, error.message.replace('The archive can’t be imported. ', ''));
      }
    }
    return { urls, lost };
  };
}
