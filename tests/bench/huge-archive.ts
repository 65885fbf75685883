/**
 * Imports a Mastodon archive of many gigabytes into the built server, and prints time and peak memory:
 * `node tests/bench/huge-archive.ts [GIGABYTES]`. The archive is a real zip64 without compression. Half of it is videos,
 * and the other half is one outbox.json, most of whose posts are longer than a post can be. It needs twice its size on
 * the disk.
 */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { startHeadless } from '../support/headless-process.ts';
import { box, fullBox, uint32 } from '../support/picture-samples.ts';
import { megabytesOf } from './usage.ts';

const gigabytes = Number(process.argv[2] ?? 10);
const videoBytes = 90_000_000;
/** Characters; a post can have 200,000. */
const longPost = 1_000_000;
const videos = Math.round((gigabytes * 1e9) / 2 / videoBytes);
const longPosts = Math.round((gigabytes * 1e9) / 2 / longPost);
const sampleMs = 100;
const videoPath = (index: number) => `media_attachments/files/${index}/original/evening.mp4`;

const folder = await mkdtemp(join(tmpdir(), 'porchlight-huge-archive-'));
try {
  const path = join(folder, 'archive.zip');
  await writeArchive(path);
  const house = await startHeadless({ args: ['--me', 'https://owner.example/', '--tunnel', 'off'] });
  const rest = megabytesOf(house.child.pid ?? 0);
  let most = rest;
  const timer = setInterval(() => (most = Math.max(most, megabytesOf(house.child.pid ?? 0))), sampleMs);
  try {
    const report = async (work: string, dryRun: boolean) => {
      const began = performance.now();
      const { found, imported, reasons } = await house.call('posts.import', { path, format: 'auto', dryRun });
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      const skipped = reasons.map(({ why, count }) => `${count} ${why}`).join('; ');
      console.log(
        `${work} in ${seconds} s: found ${found}, imported ${imported}; skipped: ${skipped || 'nothing'}; ${most.toFixed(0)} MB at most so far`,
      );
    };
    console.log(
      `${((await stat(path)).size / 1e9).toFixed(2)} GB: ${videos} videos, ${longPosts} long posts; ${rest.toFixed(0)} MB at rest`,
    );
    await report('checked', true);
    await report('imported', false);
    await report('imported again', false);
  } finally {
    clearInterval(timer);
    await house.remove();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function writeArchive(path: string): Promise<void> {
  const zip = new ZipFile();
  const options = { compress: false, forceZip64Format: true };
  zip.addReadStream(Readable.from(outbox()), 'outbox.json', options);
  for (let index = 0; index < videos; index += 1)
    zip.addReadStream(Readable.from(video(index)), videoPath(index), options);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}

/** One post for each video, then the long ones. */
function* outbox(): Generator<Buffer> {
  yield Buffer.from('{"type":"OrderedCollection","orderedItems":[');
  const text = 'The lamp is on. '.repeat(longPost / 16);
  for (let index = 0; index < videos + longPosts; index += 1)
    yield Buffer.from((index === 0 ? '' : ',') + toot(index, index < videos ? 'An evening' : text));
  yield Buffer.from(']}');
}

function toot(index: number, text: string): string {
  const id = `https://social.example/users/robin/statuses/${index}`;
  const to = ['https://www.w3.org/ns/activitystreams#Public'];
  const published = new Date(Date.UTC(2015, 0, 1) + index * 3_600_000).toISOString();
  const url = `/social/${videoPath(index)}`;
  const attachment = index < videos ? [{ type: 'Document', mediaType: 'video/mp4', url, name: '' }] : [];
  const object = { id, type: 'Note', published, url: id, to, cc: [], content: text, attachment, tag: [] };
  return JSON.stringify({ id: `${id}/activity`, type: 'Create', published, to, cc: [], object });
}

/** A video that differs from the others. */
function* video(index: number): Generator<Buffer> {
  const start = box('ftyp', 'isom', uint32(0), 'isommp42');
  const end = box('moov', fullBox('mvhd', 0, Buffer.alloc(96)));
  const frames = videoBytes - start.length - end.length;
  yield start;
  yield Buffer.concat([uint32(frames), Buffer.from('mdat')]);
  const filler = Buffer.alloc(1_000_000, `frame ${index} `);
  for (let left = frames - 8; left > 0; left -= filler.length)
    yield filler.subarray(0, Math.min(left, filler.length));
  yield end;
}
