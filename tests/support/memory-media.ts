import { randomBytes } from 'node:crypto';
import { PorchlightError } from '../../src-main/contract/error.ts';
import type { MediaFile, MediaFilter, MediaStore, NewMedia } from '../../src-main/media/media-store.ts';

export interface MemoryMedia extends MediaStore {
  /** The bytes of each file that is kept, by path. */
  readonly contents: Map<string, Buffer>;
  /** Files that were begun to be read, ever. */
  readonly added: number;
  /** Files that are being read. */
  readonly open: number;
}

/**
 * Files without a disk: JPEG, PNG and GIF by their first bytes, all else is refused. `now` in ms, `limit` in bytes.
 * As on a disk, a file that is still coming in is not there yet.
 */
export function memoryMedia(now: () => number, limit: number): MemoryMedia {
  const files: MediaFile[] = [];
  const contents = new Map<string, Buffer>();
  const deleted = new Set<string>();
  let added = 0;
  let open = 0;

  async function add(content: AsyncIterable<Uint8Array>, about: NewMedia): Promise<MediaFile> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    added += 1;
    open += 1;
    try {
      for await (const chunk of content) {
        bytes += chunk.length;
        if (bytes > limit) throw invalid('The file is too large.', 413);
        chunks.push(chunk);
      }
    } finally {
      open -= 1;
    }
    const whole = Buffer.concat(chunks);
    if (bytes === 0) throw invalid('The file is empty.', 400);
    const type = typeOf(whole);
    if (type === undefined) throw invalid('Files of this type are not taken.', 415);
    const file: MediaFile = {
      path: `/media/2026/11/${randomBytes(8).toString('hex')}-file.${type.slice('image/'.length)}`,
      name: about.name ?? 'file',
      type,
      kind: 'image',
      bytes,
      width: type === 'image/gif' ? null : 640,
      height: type === 'image/gif' ? null : 480,
      uploadedAt: new Date(now()).toISOString(),
      copyOf: about.copyOf ?? null,
      ...(about.uploadedBy !== undefined && { uploadedBy: about.uploadedBy }),
    };
    files.unshift(file);
    contents.set(file.path, whole);
    return file;
  }

  const found = (path: string) => files.find((file) => file.path === path);

  return {
    contents,
    get added() {
      return added;
    },
    get open() {
      return open;
    },
    add,
    get: (path) => Promise.resolve(found(path)),
    copyOf: (url) => Promise.resolve(files.find((file) => file.copyOf === url)),
    wasCopyDeleted: () => Promise.resolve(false),
    isDeleted: (path) => Promise.resolve(deleted.has(path)),
    list: ({ limit: most, offset = 0, filter = {} }) =>
      Promise.resolve({
        items: files.filter((file) => passes(file, filter)).slice(offset, offset + most),
      }),
    delete(path) {
      const file = found(path);
      if (!file) return Promise.reject(invalid('This file does not exist.', 400));
      files.splice(files.indexOf(file), 1);
      contents.delete(path);
      deleted.add(path);
      return Promise.resolve(file);
    },
    fileOf: ({ path }) => path,
    thumbnail: () => Promise.resolve(null),
    close: () => Promise.resolve(),
  };
}

/** Returns whether a file passes a filter. */
function passes({ type, name, kind, uploadedBy }: MediaFile, filter: MediaFilter): boolean {
  return (
    (filter.kind === undefined || filter.kind === kind) &&
    (filter.uploadedBy === undefined || filter.uploadedBy === uploadedBy) &&
    (filter.type === undefined || type === filter.type || type.startsWith(`${filter.type}/`)) &&
    (filter.text === undefined || name.toLowerCase().includes(filter.text.toLowerCase()))
  );
}

function typeOf(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'image/jpeg';
  if (bytes.toString('latin1', 1, 4) === 'PNG') return 'image/png';
  return bytes.toString('latin1', 0, 4) === 'GIF8' ? 'image/gif' : undefined;
}

const invalid = (message: string, status: number) => new PorchlightError('invalid_request', message, status);
