import { parentPort, workerData } from 'node:worker_threads';
import type { ArchiveAnswer, ArchiveCall } from '../../src-main/owner/importing/archive-messages.ts';
import { placeWriter } from '../../src-main/owner/importing/archive-place.ts';

// The program of a thread whose archive has one file. Its name says what reading its second item does.
const place = placeWriter((workerData as { place: SharedArrayBuffer }).place);
let how = '';

function nextItem(): ArchiveAnswer {
  place.beginFile('data/tweets.js');
  place.nextItem();
  if (how === 'late') for (;;);
  if (how === 'crash') process.exit(1);
  const kept: object[][] = [];
  for (;;) kept.push(Array.from({ length: 1000 }, () => ({})));
}

parentPort?.on('message', ({ call, input }: ArchiveCall) => {
  if (call === 'open') how = (input as { path: string }).path;
  const opened = { format: 'twitter', isPostPerFile: false, refused: [] };
  parentPort?.postMessage(call === 'next' ? nextItem() : { result: call === 'open' ? opened : undefined });
});
parentPort?.postMessage('ready');
