import { mkdtemp, open, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { planWithoutMetadata } from '../../../../src-main/media/metadata/metadata.ts';
import {
  type FilePiece,
  fileReader,
  joinParts,
  streamPieces,
} from '../../../../src-main/media/metadata/reader.ts';
import { collectPatches } from '../../../../src-main/media/metadata/boxes.ts';
import {
  assemble,
  cleaned,
  drawing,
  leaksIn,
  readerOver,
  withMetadata,
} from '../../../support/picture-samples.ts';

const content = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 31 + (at >> 9)) & 0xff));
let folder: string;
const handles: FileHandle[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-parts-'));
});

afterEach(async () => {
  await Promise.all(handles.splice(0).map((handle) => handle.close()));
  await rm(folder, { recursive: true });
});

async function fileOf(bytes: Uint8Array): Promise<FileHandle> {
  await writeFile(join(folder, 'file'), bytes);
  const handle = await open(join(folder, 'file'));
  handles.push(handle);
  return handle;
}

async function chunksOf(handle: FileHandle, parts: FilePiece[]): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of streamPieces(await fileReader(handle), parts)) chunks.push(chunk);
  return chunks;
}

describe('an open file', () => {
  test('is read at any place, forwards and backwards, up to its end', async () => {
    const reader = await fileReader(await fileOf(content));
    expect(reader.size).toBe(content.length);
    const places: [at: number, length: number][] = [
      [0, 10],
      [5, 65_536],
      [65_530, 12],
      [299_990, 100],
      [100, 200_000],
      [3, 4],
      [299_999, 1],
      [300_000, 5],
      [400_000, 5],
      [7, 0],
    ];
    for (const [at, length] of places) {
      expect(Buffer.from(await reader.read(at, length))).toEqual(content.subarray(at, at + length));
    }
  });

  test('does not change bytes that it has returned', async () => {
    const reader = await fileReader(await fileOf(content));
    const first = await reader.read(0, 100);
    await reader.read(200_000, 100);
    expect(Buffer.from(first)).toEqual(content.subarray(0, 100));
  });
});

describe('changes in place', () => {
  test('may overlap, touch and be there already', async () => {
    const reader = readerOver(
      Buffer.concat([content.subarray(0, 100), Buffer.alloc(50), content.subarray(0, 50)]),
    );
    const patches = collectPatches(reader);
    patches.blank(20, 40);
    patches.blank(30, 60);
    patches.blank(60, 70);
    patches.free({ type: 'uuid', from: 22, body: 30, to: 35 });
    patches.blank(100, 150);
    patches.blank(170, 200);
    expect(await patches.plan(180)).toEqual([
      { from: 0, to: 20 },
      { bytes: new Uint8Array(50) },
      { from: 70, to: 180 },
    ]);
  });
});

describe('the parts of a clean file', () => {
  test('become one stream of at most 512 KiB at a time', async () => {
    const parts = [{ from: 10, to: 200_000 }, { bytes: Buffer.alloc(700_000, 7) }, { from: 3, to: 5 }];
    const chunks = await chunksOf(await fileOf(content), parts);
    expect(Math.max(...chunks.map(({ length }) => length))).toBe(512 * 1024);
    expect(Buffer.concat(chunks)).toEqual(assemble(content, parts));
  });

  test('are refused if the file has become shorter', async () => {
    const handle = await fileOf(content);
    await expect(chunksOf(handle, [{ from: 299_000, to: 300_001 }])).rejects.toMatchObject({ status: 400 });
  });

  test('are joined if they follow each other; the whole file is no change', () => {
    const bytes = Buffer.of(1);
    const ranges = [
      { from: 0, to: 4 },
      { from: 4, to: 4 },
      { from: 4, to: 9 },
    ];
    expect(joinParts(ranges, 9)).toBeNull();
    expect(joinParts(ranges, 10)).toEqual([{ from: 0, to: 9 }]);
    expect(joinParts([...ranges, { bytes }, { from: 9, to: 12 }], 12)).toEqual([
      { from: 0, to: 9 },
      { bytes },
      { from: 9, to: 12 },
    ]);
    expect(joinParts([], 0)).toEqual([]);
  });

  test('give the same result for a photo on disk and for one in memory', async () => {
    const photo = await withMetadata(drawing(900, 700), 6).jpeg({ quality: 100 }).toBuffer();
    const handle = await fileOf(photo);
    const plan = await planWithoutMetadata('image/jpeg', await fileReader(handle));
    const clean = Buffer.concat(await chunksOf(handle, plan ?? []));
    expect(clean).toEqual(await cleaned('image/jpeg', photo));
    expect(leaksIn(clean)).toEqual([]);
  });
});
