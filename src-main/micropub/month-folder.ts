import { join } from 'node:path';
import { namesIn } from '../storage/folder-names.ts';
import { isSlug } from './slug.ts';

/** Returns the months that have a folder, such as `2026/11`, newest first. */
export async function monthsIn(dir: string): Promise<string[]> {
  const months: string[] = [];
  for (const year of matching(await namesIn(dir), /^\d{4}$/)) {
    const found = matching(await namesIn(join(dir, year)), /^(?:0[1-9]|1[0-2])$/);
    months.push(...found.map((month) => `${year}/${month}`));
  }
  return months.sort().reverse();
}

export interface MonthFolder {
  /** Slugs that have a document. */
  documents: Set<string>;
  /** The slugs of all documents in the folder, including unreadable ones that were moved aside. */
  taken: Set<string>;
}

/** Returns the slugs in a month's folder. A missing folder counts as empty. */
export async function readMonthFolder(dir: string): Promise<MonthFolder> {
  const documents = new Set<string>();
  const taken = new Set<string>();
  for (const name of await namesIn(dir)) {
    const [, slug, rest] = /^(.+?)\.json(|\..+)$/.exec(name) ?? [];
    if (slug === undefined || !isSlug(slug) || rest === '.tmp') continue;
    taken.add(slug);
    if (rest === '') documents.add(slug);
  }
  return { documents, taken };
}

const matching = (names: readonly string[], pattern: RegExp) => names.filter((name) => pattern.test(name));
