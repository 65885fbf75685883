import { randomUUID } from 'node:crypto';
import type { DefaultTreeAdapterTypes as Dom } from 'parse5';
import { attributeOf } from './page-document.ts';

/** The addresses of a document's images, which `restore` puts back into what the microformats parser found. */
export interface HiddenImages {
  /**
   * Returns a value with the addresses of its images, where the address is the value or part of HTML. In text, an image
   * without alt text counts as nothing.
   */
  restore<T>(value: T): T;
}

/**
 * Replaces the address of each image without alt text by a placeholder, in place. The microformats parser puts such an
 * address into names and other text, although an image contributes its alt text or nothing (microformats2 parsing,
 * "parsing for implied properties"). The placeholder contains two spaces: the parser collapses them in text only, which
 * tells text from attributes.
 */
export function hideImages(elements: readonly Dom.Element[]): HiddenImages {
  // Random, so that no page can contain a placeholder of its own.
  const mark = `image-${randomUUID()}://`;
  const addresses: string[] = [];
  for (const element of elements) {
    if (element.tagName !== 'img' || (attributeOf(element, 'alt') ?? '') !== '') continue;
    const source = element.attrs.find(({ name }) => name === 'src');
    if (!source || source.value.trim() === '') continue;
    source.value = `${mark}  ${addresses.push(source.value) - 1};`;
  }
  const attributes = new RegExp(`${mark}  (\\d+);`, 'g');
  const texts = new RegExp(` ?${mark} \\d+; ?`, 'g');

  function restoreText(text: string): string {
    if (!text.includes(mark)) return text;
    const restored = text.replace(attributes, (_, index: string) => addresses[Number(index)] ?? '');
    if (!restored.includes(mark)) return restored;
    return restored
      .replace(texts, ' ')
      .replace(/ *\n */g, '\n')
      .trim();
  }

  function restore(value: unknown): unknown {
    if (typeof value === 'string') return restoreText(value);
    if (Array.isArray(value)) return value.map(restore);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, restore(one)]));
  }

  return { restore: <T>(value: T) => (addresses.length === 0 ? value : (restore(value) as T)) };
}
