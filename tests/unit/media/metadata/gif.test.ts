import { describe, expect, test } from 'vitest';
import { planWithoutMetadata } from '../../../../src-main/media/metadata/metadata.ts';
import { appearance, cleaned, movingDrawing, readerOver, xmp } from '../../../support/picture-samples.ts';

const type = 'image/gif';
const plan = (bytes: Uint8Array) => planWithoutMetadata(type, readerOver(bytes));
const moving = (): Promise<Buffer> =>
  movingDrawing()
    .gif({ loop: 2, delay: [50, 60, 70, 80] })
    .toBuffer();

/** Where the first block is: after the header and the table of colours. */
function firstBlock(gif: Buffer): number {
  const flags = gif.readUInt8(10);
  return 13 + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
}

function withBlock(gif: Buffer, block: Buffer, at = firstBlock(gif)): Buffer {
  return Buffer.concat([gif.subarray(0, at), block, gif.subarray(at)]);
}

function extension(label: number, ...blocks: string[]): Buffer {
  const data = blocks.map((block) => Buffer.concat([Buffer.of(block.length), Buffer.from(block, 'latin1')]));
  return Buffer.concat([Buffer.of(0x21, label), ...data, Buffer.of(0)]);
}

/** XMP as Adobe puts it into GIF: unblocked, with a run of bytes behind it that leads any reader to its end. */
const xmpExtension = Buffer.concat([
  Buffer.from('\x21\xff\x0bXMP DataXMP', 'latin1'),
  Buffer.from(xmp),
  Buffer.of(1, ...Array.from({ length: 256 }, (_, at) => 255 - at), 0),
]);

describe('a GIF picture', () => {
  test.each([
    ['a comment', extension(0xfe, 'SecretText', 'SecretOwner')],
    ['XMP', xmpExtension],
    ['data of an application', extension(0xff, 'MGK8BIM0000', 'SecretOwner')],
    ['an extension that nobody knows', extension(0x42, 'SecretText')],
    ['a stray zero', Buffer.of(0)],
  ])('loses %s, before and behind its frames', async (_name, block) => {
    const gif = await moving();
    expect(await cleaned(type, withBlock(gif, block))).toEqual(gif);
    expect(await cleaned(type, withBlock(gif, block, gif.length - 1))).toEqual(gif);
  });

  test('keeps frames, times and how often it repeats', async () => {
    const gif = await moving();
    expect(await plan(gif)).toBeNull();
    const clean = await cleaned(type, withBlock(gif, xmpExtension));
    expect(await appearance(clean)).toEqual(await appearance(gif));
    expect(await appearance(clean)).toMatchObject({ pages: 4, loop: 2, delay: [50, 60, 70, 80] });
  });

  test.each([
    ['its colour profile', extension(0xff, 'ICCRGBG1012', 'profile')],
    ['how often it repeats, in the other spelling', extension(0xff, 'ANIMEXTS1.0', '\x01\0\0')],
    ['a text that is drawn', extension(0x01, 'x'.repeat(12), 'caption')],
  ])('keeps %s', async (_name, block) => {
    expect(await plan(withBlock(await moving(), block))).toBeNull();
  });

  test('loses what follows its end', async () => {
    const gif = await moving();
    expect(await cleaned(type, Buffer.concat([gif, Buffer.from('SecretTail')]))).toEqual(gif);
  });

  test('that breaks off within a frame ends there', async () => {
    const gif = await moving();
    const clean = await cleaned(type, gif.subarray(0, gif.length - 9));
    expect(clean.subarray(-2)).toEqual(Buffer.of(0, 0x3b));
    expect(await plan(clean)).toBeNull();
  });

  test('without a frame, or of another format, is refused', async () => {
    const gif = await moving();
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('GIF88a'.padEnd(40)),
      gif.subarray(0, firstBlock(gif)),
    ]) {
      await expect(plan(bytes)).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
    }
  });
});
