import { parentPort } from 'node:worker_threads';
import { lowerPriority } from './low-priority.ts';
import { readPicture } from './picture-bytes.ts';
import { openDecoder, type PictureDecoder } from './picture-decoder.ts';
import type { PictureAnswer, PictureJob } from './picture-job.ts';

// The thread that decodes pictures. It reports that it is ready, then takes one job after another and sends each
// result. If the decoder fails to start, the thread ends, and the main thread is notified.
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
    // An error that WebAssembly itself raised may leave it in a broken state, so it ends the thread.
    if (error instanceof Error && ['RuntimeError', 'RangeError'].includes(error.name)) throw error;
    // The file isn't a picture, or was made to attack the decoder. In both cases, the result is null.
    return null;
  }
}
