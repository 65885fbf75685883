import { once } from 'node:events';
import { crc32, createDeflate } from 'node:zlib';

// What hostile sites serve: small enough to be fetched, and expensive to draw, read or keep.

export interface Picture {
  readonly type: string;
  readonly bytes: Buffer;
}

const svg = (content: string): Picture => ({
  type: 'image/svg+xml',
  bytes: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="2000">${content}</svg>`),
});
const filtered = (effects: string) =>
  svg(
    `<filter id="f" x="0" y="0" width="1" height="1">${effects}</filter><rect width="2000" height="2000" filter="url(#f)"/>`,
  );

/** Noise of many octaves: 3 KB. */
const turbulence = () =>
  filtered('<feTurbulence type="turbulence" baseFrequency="0.91" numOctaves="9999" seed="7"/>'.repeat(34));

/** Filters with a large radius, one after the other: 135 KB. */
const morphology = () =>
  filtered('<feMorphology operator="dilate" radius="500"/><feOffset dx="1"/>'.repeat(2000));

/** Groups that are each a picture of their own: 900 KB. */
const groups = () => svg('<g opacity=".5"><path d="M0 0h2000v2000H0z"/></g>'.repeat(15_000));

/** 100 million pixels of 16 bits, interlaced, so that all of it is decoded before a line is known: 200 KB. */
async function interlaced(): Promise<Picture> {
  const [width, height, bytesPerPixel] = [10_000, 10_000, 2];
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([16, 0, 0, 0, 1], 8); // 16 bits, grey, deflate, usual filters, Adam7
  const data = await zeros(adam7Bytes(width, height, bytesPerPixel));
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const bytes = [signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))];
  return { type: 'image/png', bytes: Buffer.concat(bytes) };
}

/** The bytes of an interlaced picture's lines, each with its filter (PNG, 8.2): first column, first row, steps. */
function adam7Bytes(width: number, height: number, bytesPerPixel: number): number {
  const passes = [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
  ] as const;
  return passes.reduce((sum, [left, top, columnStep, rowStep]) => {
    const columns = Math.ceil((width - left) / columnStep);
    return sum + Math.ceil((height - top) / rowStep) * (1 + columns * bytesPerPixel);
  }, 0);
}

async function zeros(count: number): Promise<Buffer> {
  const deflate = createDeflate({ level: 9 });
  const chunks: Buffer[] = [];
  deflate.on('data', (piece: Buffer) => chunks.push(piece));
  const piece = Buffer.alloc(1 << 20);
  for (let left = count; left > 0; left -= piece.length)
    if (!deflate.write(piece.subarray(0, Math.min(left, piece.length)))) await once(deflate, 'drain');
  deflate.end();
  await once(deflate, 'end');
  return Buffer.concat(chunks);
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), data]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(named, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}

/** One logo of each kind. */
export const badLogos = async (): Promise<Picture[]> => [
  turbulence(),
  morphology(),
  groups(),
  await interlaced(),
];

/** As much of an app's page as is read. */
const pageBytes = 510_000;

/** Fills a page with what a function makes for each number. */
function filledPage(head: string, piece: (number: number) => string, foot = ''): string {
  const pieces = [head];
  for (let number = 0, bytes = head.length + foot.length; ; number += 1) {
    const next = piece(number);
    bytes += next.length;
    if (bytes > pageBytes) return [...pieces, foot].join('');
    pieces.push(next);
  }
}

const words = (number: number) =>
  Array.from({ length: 30 }, (_, index) => `w${number * 30 + index}`).join(' ');

/** One page of each kind: many relations, long addresses, deep nesting. */
export const badPages = (): string[] => [
  filledPage('<title>Relations</title>', (number) => `<link rel="${words(number)}" href="/${number}">`),
  filledPage(
    '<div class="h-app">',
    (number) => `<a class="u-url" href="../${'a/'.repeat(1200)}../${number}">x</a>`,
  ),
  filledPage('', (number) => `<div class="h-x-app h-entry p-name${number}"><i class="p-a u-b e-c dt-d">`),
];

/** Bytes of text that a mention of the worst kind brings. */
const recordBytes = 350_000;

/** A source that links its target and says as much as is kept of a mention. */
export function badMention(target: string, number: number): string {
  const sentence = `<p>Sentence <b>${number}</b> &amp; <i>more</i> of <a href="https://x.example/${number}">it</a>.</p>`;
  const content = sentence.repeat(Math.floor(recordBytes / sentence.length));
  const card = `<a class="p-author h-card" href="/author-${number}">Author ${number}</a>`;
  const link = `<a class="u-in-reply-to" href="${target}">reply</a>`;
  return `<article class="h-entry">${card}${link}<div class="e-content">${content}</div></article>`;
}
