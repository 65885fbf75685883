import { readSource, type SourceReading } from '../../src-main/mentions/receiving/source/source-reading.ts';
import type { SourcePage } from '../../src-main/mentions/receiving/source/source-page.ts';

/** The page that samples mention, and where samples lie. */
export const target = 'https://me.example/post';
export const source = 'https://ann.example/notes/1';

/** A source as it came from the network. */
export function sample(body: string | Uint8Array, contentType: string | null = 'text/html; charset=utf-8') {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return { url: source, contentType, linkHeader: null, body: bytes } satisfies SourcePage;
}

/** What reading a sample gives. */
export function readSample(page: SourcePage, of = source): SourceReading {
  return readSource({ page, source: of, target });
}

/** What a sample says to the target. */
export function factsOf(html: string, page: Partial<SourcePage> = {}) {
  const reading = readSample({ ...sample(html), ...page });
  if (reading.kind !== 'links') throw new Error(`The sample does not link its target: ${reading.kind}`);
  return reading.facts;
}

/** An h-entry at the source's address with more in it. */
export function entry(inside: string, url = source): string {
  return `<article class="h-entry"><a class="u-url" href="${url}"></a>${inside}</article>`;
}

export const reply = `<a class="u-in-reply-to" href="${target}">re</a>`;
export const link = `<a href="${target}">a post</a>`;
export const content = `<div class="e-content">Well said: ${link}</div>`;

/** Text repeated, each time with its number. */
export function times(count: number, piece: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => piece(index)).join('');
}
