import { parentPort } from 'node:worker_threads';
import { lowerPriority } from './low-priority.ts';
import { readPicture } from './picture-bytes.ts';
import { openDecoder, type PictureDecoder } from './picture-decoder.ts';
import type { PictureAnswer, PictureJob } from './picture-job.ts';

// The thread in which pictures are decoded: says that it is ready, takes one job after another, and answers each. A
// decoder that does not start ends this thread, which its owner hears of.
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
    return pictures[job.kind === 'shrink' ? 'shrink' : 'thumbnail'](picture, job.edge);
  } catch (error) {
    // What WebAssembly's machine itself raises may leave it broken: its thread ends with it.
    if (error instanceof Error && ['RuntimeError', 'RangeError'].includes(error.name)) throw error;
    // No picture, or one that is meant to hurt: both are none to us.
    return null;
  }
}
