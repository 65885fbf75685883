import { parentPort } from 'node:worker_threads';
import { readPicture } from './picture-bytes.ts';
import { openDecoder, type PictureDecoder } from './picture-decoder.ts';
import type { PictureAnswer, PictureJob } from './picture-job.ts';

// The thread in which pictures are decoded: takes one job after another, and answers each.
const decoding = openDecoder();

parentPort?.on('message', (job: PictureJob) => {
  // A decoder that does not start ends this thread, which its owner hears of.
  void decoding.then((decoder) => parentPort?.postMessage(answered(decoder, job)));
});

function answered(decoder: PictureDecoder, job: PictureJob): PictureAnswer {
  try {
    const bytes = job.kind === 'shrink' ? job.bytes : readPicture(job.file);
    if (bytes === undefined) return null;
    if (job.kind === 'measure') return decoder.measure(bytes);
    return decoder[job.kind](bytes, job.edge);
  } catch (error) {
    // What WebAssembly's machine itself raises may leave it broken: its thread ends with it.
    if (error instanceof Error && ['RuntimeError', 'RangeError'].includes(error.name)) throw error;
    // No picture, or one that is meant to hurt: both are none to us.
    return null;
  }
}
