import { interlacedPng } from '../../support/hostile-samples.ts';

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

/** One logo of each kind; the last has 100 million pixels of 16 bits. */
export const badLogos = (): Picture[] => [
  turbulence(),
  morphology(),
  groups(),
  { type: 'image/png', bytes: interlacedPng(10_000) },
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
