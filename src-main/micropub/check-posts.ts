import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { documentCodec } from '../storage/document-format.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import { readJson } from '../storage/json-file.ts';
import { folded, type IndexRow } from './index-line.ts';
import { readJournal } from '../storage/journal.ts';
import { monthsIn, readMonthFolder } from './month-folder.ts';
import { journalOf } from './month-index.ts';
import { postFormat } from './post-document.ts';
import { entryOf } from './post-entry.ts';
import { placeOf, pathOf, type Place } from './post-path.ts';

export interface PostCheck {
  /** Documents that hold a post, deleted ones too. */
  posts: number;
  /** What is not as it should be, in words. */
  problems: string[];
}

/**
 * Compares the indexes in a folder of posts with its documents, and changes nothing. An index that differs does no
 * harm for long: it is derived, and mended when its month is opened.
 */
export async function checkPosts(dir: string): Promise<PostCheck> {
  const check: PostCheck = { posts: 0, problems: [] };
  for (const month of await monthsIn(dir)) await checkMonth(dir, month, check);
  return check;
}

async function checkMonth(dir: string, month: string, check: PostCheck): Promise<void> {
  const folder = join(dir, month);
  const journal = await readJournal(journalOf(folder));
  const { rows, dirty, whole } = folded(journal.lines);
  if (!journal.whole || !whole) check.problems.push(`The index of ${month} has lines that cannot be read.`);

  const { documents } = await readMonthFolder(folder);
  for (const slug of new Set([...documents, ...rows.keys(), ...dirty])) {
    const place = { month, slug };
    const found = await readRow(dir, place, check);
    if (found === 'broken') continue;
    if (found !== null && !('moved' in found)) check.posts += 1;
    if (dirty.has(slug)) check.problems.push(`The index of ${month} does not know what ${slug} holds.`);
    else if (!isDeepStrictEqual(found, rows.get(slug) ?? null))
      check.problems.push(`The index of ${month} says something else of ${slug} than its document.`);
  }
}

const codec = documentCodec(postFormat);

async function readRow(dir: string, place: Place, check: PostCheck): Promise<IndexRow | null | 'broken'> {
  const file = join(dir, place.month, `${place.slug}.json`);
  const found = await readJson(file, nodeOperations);
  if (found.state === 'missing') return null;
  const decoded = found.state === 'broken' ? { broken: found.reason } : codec.decode(found.value, file);
  if ('broken' in decoded) {
    check.problems.push(`${pathOf(place)} cannot be used: ${decoded.broken}.`);
    return 'broken';
  }
  const { post, movedTo } = decoded.data;
  if (post !== null) return entryOf(place, post);
  if (movedTo === null) return null;
  if (placeOf(movedTo) === undefined) check.problems.push(`${pathOf(place)} leads nowhere.`);
  return { slug: place.slug, moved: true };
}
