import { namesIn } from '../storage/folder-names.ts';
import { isSlug } from './slug.ts';

export interface MonthFolder {
  /** The slugs of the documents in the folder. */
  documents: Set<string>;
  /** All slugs in use, including those of broken documents that were moved aside. */
  taken: Set<string>;
  /** The names of the files in which a program that synchronizes the folder kept another version of a document. */
  conflicts: string[];
}

/** The names that Dropbox, Nextcloud (`conflicted copy`) and Syncthing (`sync-conflict`) give such files. */
const conflicted = /\(.*conflicted copy.*\)|\.sync-conflict-\d{8}-\d{6}/i;

/** Returns the slugs in a month's folder. A missing folder counts as empty. */
export async function readMonthFolder(dir: string): Promise<MonthFolder> {
  const documents = new Set<string>();
  const taken = new Set<string>();
  const conflicts: string[] = [];
  for (const name of await namesIn(dir)) {
    if (conflicted.test(name)) conflicts.push(name);
    const [, slug, rest] = /^(.+?)\.json(|\..+)$/.exec(name) ?? [];
    if (slug === undefined || !isSlug(slug) || rest === '.tmp') continue;
    taken.add(slug);
    if (rest === '') documents.add(slug);
  }
  return { documents, taken, conflicts };
}
