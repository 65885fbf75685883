import type { PageDocument } from './page-document.ts';

/** About what a number, a name or an object costs beside the characters of texts. */
const perValue = 16;

const weights = new WeakMap<Readonly<PageDocument>, number>();

/** About how many characters a page's document has: what it costs to keep it in memory. */
export function weightOf(page: Readonly<PageDocument>): number {
  const weight = weights.get(page) ?? lengthOf(page);
  // What a page holds is frozen, so that it is weighed once.
  weights.set(page, weight);
  return weight;
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return perValue + value.length;
  if (typeof value !== 'object' || value === null) return perValue;
  return Object.values(value).reduce((sum: number, part) => sum + lengthOf(part), perValue);
}
