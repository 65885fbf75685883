import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { beginsAsSvg, sniffFile } from '../../../src-main/media/media-types.ts';
import { pngChunk, pngOf } from '../../support/media-folder.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

async function sniff(content: string | Uint8Array, claimed?: string): Promise<string> {
  const file = join(await temporaryFolder(), 'content');
  await writeFile(file, content);
  const [fromFile, fromMemory] = await Promise.allSettled([
    sniffFile(file, claimed),
    sniffFile(Buffer.from(content), claimed),
  ]);
  expect(fromMemory).toEqual(fromFile);
  return sniffFile(file, claimed);
}

const refused = { code: 'invalid_request', status: 415 };
const box = (brand: string, other = brand) =>
  Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from(`ftyp${brand}\0\0\0\0${other}mp42`)]);
const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';

describe('the type of a file comes from its content', () => {
  const apng = Buffer.concat([
    pngOf().subarray(0, 33),
    pngChunk('acTL', new Uint8Array(8)),
    pngOf().subarray(33),
  ]);
  test.each<[string, string | Uint8Array]>([
    ['image/png', pngOf()],
    ['image/png', apng],
    ['image/gif', 'GIF89a\x01\0\x01\0\0\0\0;'],
    ['image/jpeg', Buffer.from('ffd8ffe000104a46494600', 'hex')],
    ['image/webp', 'RIFF\x20\0\0\0WEBPVP8L\0\0\0\0\0\0\0\0'],
    ['image/avif', box('avif')],
    ['image/heic', box('heic')],
    ['image/heif', box('mif1')],
    ['image/avif', box('mif1', 'avif')],
    ['video/mp4', box('isom')],
    ['video/mp4', box('M4V ')],
    ['video/quicktime', box('qt  ')],
    ['audio/mp4', box('M4A ')],
    ['audio/flac', 'fLaC\0\0\0\x22\0\0\0\0\0\0\0\0\0\0\0\0'],
    ['audio/wav', 'RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\0\0\0\0'],
    ['application/pdf', '%PDF-1.7\n1 0 obj\n'],
    ['text/plain', 'Just words, ünd mehr.'],
    ['text/plain', '<!doctype html><script>alert(1)</script>'],
    ['text/plain', '<?xml version="1.0"?><rss/>'],
    ['text/plain', 'BM begins like a bitmap'],
    ['image/svg+xml', svg],
  ])('%s', async (type, content) => {
    const bytes =
      typeof content === 'string' && type !== 'text/plain' ? Buffer.from(content, 'latin1') : content;
    expect(await sniff(bytes)).toBe(type);
  });

  test('a PNG that is also a page counts as a PNG, and so does one that claims to be a JPEG', async () => {
    const polyglot = pngOf('<html><script>alert(1)</script>');
    expect(await sniff(polyglot)).toBe('image/png');
    expect(await sniff(polyglot, 'image/jpeg')).toBe('image/png');
    await expect(sniff(polyglot, 'text/html')).rejects.toMatchObject(refused);
  });

  test.each<[string, string | Uint8Array]>([
    ['a program', Buffer.concat([Buffer.from('MZ\x90\0', 'latin1'), Buffer.alloc(100)])],
    ['an archive', Buffer.from('504b0304140000000000', 'hex')],
    ['bytes without a meaning', Buffer.from('00ff00ff00ff', 'hex')],
    ['text in another encoding', Buffer.from('caf\xe9', 'latin1')],
    ['text with a NUL', 'words\0words'],
    ['text that breaks off inside a character', Buffer.from('caf\xc3', 'latin1')],
    ['a bitmap', Buffer.concat([Buffer.from('BM'), Buffer.alloc(60)])],
    ['UTF-16', Buffer.from('\ufeffwords', 'utf16le')],
  ])('%s is not taken', async (_name, content) => {
    await expect(sniff(content)).rejects.toMatchObject(refused);
  });

  test('text is checked to its end', async () => {
    const long = Buffer.from('x'.repeat(300_000));
    expect(await sniff(long)).toBe('text/plain');
    long[299_999] = 0;
    await expect(sniff(long)).rejects.toMatchObject(refused);
  });
});

describe('a claim', () => {
  test.each([undefined, '', 'application/octet-stream', 'Text/Plain; charset=utf-8', 'text/html'])(
    'of %j is fine for text',
    async (claimed) => {
      expect(await sniff('words', claimed)).toBe('text/plain');
    },
  );

  test.each(['image/png', 'IMAGE/JPEG', 'video/mp4', 'audio/mpeg', 'image/svg+xml', 'application/pdf'])(
    'of %s is refused for a page',
    async (claimed) => {
      await expect(sniff('<!doctype html><p>Hello', claimed)).rejects.toMatchObject(refused);
    },
  );

  test.each([undefined, 'text/plain', 'application/octet-stream'])(
    'of %j is missing: the default of RFC 7578, 4.4 applies',
    async (claimed) => {
      expect(await sniff(pngOf(), claimed)).toBe('image/png');
    },
  );

  test('of HTML is refused for a picture', async () => {
    await expect(sniff(pngOf(), 'text/html')).rejects.toMatchObject(refused);
  });

  test('of sound and of film count as one', async () => {
    expect(await sniff(box('isom'), 'audio/mp4')).toBe('video/mp4');
    expect(await sniff(box('M4A '), 'video/mp4')).toBe('audio/mp4');
  });
});

describe('an SVG picture', () => {
  test.each([
    svg,
    `\n  ${svg}`,
    `<?xml version="1.0"?>\n<!-- by hand -->\n${svg}`,
    `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd">${svg}`,
    `<!DOCTYPE svg [ <!ENTITY ns "http://www.w3.org/2000/svg"> ]>${svg}`,
    '<svg>',
  ])('begins as %j', (text) => {
    expect(beginsAsSvg(text)).toBe(true);
  });

  test.each([
    `<!doctype html>${svg}`,
    `<p>${svg}`,
    `words ${svg}`,
    '<svgish/>',
    '<!-- never closed <svg>',
    '<?xml <svg>',
    '',
  ])('does not begin as %j', (text) => {
    expect(beginsAsSvg(text)).toBe(false);
  });

  test('does not begin after thousands of comments', () => {
    expect(beginsAsSvg(`${'<!-- -->'.repeat(5000)}${svg}`)).toBe(false);
  });
});
