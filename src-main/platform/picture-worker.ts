import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { lowerPriority } from './low-priority.ts';
import { openDecoder, type PictureDecoder } from './picture-decoder.ts';
import { pictureFormat, signatureBytes } from './picture-format.ts';
import type { PictureAnswer, PictureJob } from './picture-job.ts';

const maxFileBytes = 200_000_000;

// The thread that decodes pictures. The thread reports that it is ready, then processes one job at a time and sends
// each result. If the decoder fails to start, the thread ends, and the main thread gets an error event.
lowerPriority();
const decoder = await openDecoder();
parentPort?.on('message', (job: PictureJob) => parentPort?.postMessage(answered(decoder, job)));
parentPort?.postMessage('ready');

function answered(pictures: PictureDecoder, job: PictureJob): PictureAnswer {
  try {
    const bytes = 'bytes' in job ? job.bytes : readPicture(job.file);
    if (bytes === undefined) return null;
    const picture = { bytes, trusted: job.trusted };
    if (job.kind === 'measure') return pictures.measure(picture);
    if (job.kind === 'jpeg') return pictures.jpeg(picture);
    if (job.kind === 'versions') return pictures.versions(picture, job.wanted);
    const kind = job.kind === 'portrait' ? 'thumbnail' : job.kind;
    return pictures[kind](picture, job.edge);
  } catch (error) {
    // Errors that WebAssembly itself throws may leave the decoder in a broken state. Such an error ends the thread.
    if (error instanceof Error && ['RuntimeError', 'RangeError'].includes(error.name)) throw error;
    // The file isn't a picture, or was made to attack the decoder. In either case, the result is null.
    return null;
  }
}

/**
 * Returns the bytes of a picture file. Reads the whole file only if its first bytes match a picture format and its size
 * is at most 200 MB. Returns undefined for any other file, and if the file doesn't exist.
 */
function readPicture(file: string): Uint8Array | undefined {
  let handle: number | undefined;
  try {
    handle = openSync(file, 'r');
    const stat = fstatSync(handle);
    if (!stat.isFile() || stat.size > maxFileBytes) return undefined;
    const start = Buffer.alloc(signatureBytes);
    const length = readSync(handle, start, 0, signatureBytes, 0);
    if (pictureFormat(start.subarray(0, length), stat.size) === undefined) return undefined;
    return readFileSync(file);
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
