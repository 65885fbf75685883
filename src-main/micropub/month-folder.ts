import { namesIn } from '../storage/folder-names.ts';
import { isSlug } from './slug.ts';

export interface MonthFolder {
  /** The slugs of the documents in the folder. */
  documents: Set<string>;
  /** All slugs in use, including those of broken documents that were moved aside. */
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
