import { deflateSync } from 'node:zlib';
import { pngChunk } from './picture-samples.ts';

/** What strangers can send to keep this computer busy: small to fetch, slow to read or to draw. */

const svg = (inside: string, size = 1000) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}">${inside}</svg>`;

/** Noise that is computed for each pixel, in 3 KB. */
export const turbulence = svg(
  `<filter id="f">${'<feTurbulence baseFrequency="0.05" numOctaves="200"/>'.repeat(50)}</filter>
  <rect width="9000" height="9000" filter="url(#f)"/>`,
  9000,
);

/** Thousands of filters that look at each pixel's neighbours, in 135 KB. */
export const morphology = svg(
  `<filter id="f">${'<feMorphology operator="dilate" radius="90"/>'.repeat(3000)}</filter>
  <rect width="9000" height="9000" filter="url(#f)"/>`,
  9000,
);

/** Thousands of layers, each as large as the picture. */
export const groups = (count: number) =>
  svg('<g opacity="0.9"><rect width="1000" height="1000"/></g>'.repeat(count));

/** An interlaced 16-bit grey PNG: a decoder must hold all of its pixels at once. */
export function interlacedPng(edge: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(edge, 0);
  header.writeUInt32BE(edge, 4);
  header.set([16, 0, 0, 0, 1], 8);
  // The seven passes of Adam7: where each starts, and its steps.
  const passes = [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
  ] as const;
  const length = passes
    .map(([x, y, across, down]) => Math.ceil((edge - y) / down) * (1 + 2 * Math.ceil((edge - x) / across)))
    .reduce((sum, bytes) => sum + bytes, 0);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(Buffer.alloc(length), { level: 1 })),
    pngChunk('IEND', ''),
  ]);
}

/** A page of 512 KB in which each link has thirty relations that nothing else has. */
export function relationBomb(): string {
  const links: string[] = [];
  for (let count = 0, length = 0; length < 511_000; length += links.at(-1)?.length ?? 0) {
    const names = Array.from({ length: 30 }, () => (count++).toString(36));
    links.push(`<link rel="${names.join(' ')}" href=a>`);
  }
  return links.join('');
}

/** A page of 512 KB: an app with thousands of addresses, each resolved against a long base. */
export function addressBomb(): string {
  const base = `<base href="/${'x/'.repeat(1000)}">`;
  return `${base}<div class="h-app">${'<a class=u-url href=a></a>'.repeat(18_000)}</div>`;
}
