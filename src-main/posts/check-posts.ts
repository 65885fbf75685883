import { join } from 'node:path';
import { documentCodec } from '../storage/document-format.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import { compareWithNew, type IndexDatabase } from '../storage/index/index-database.ts';
import { readJson } from '../storage/file-content.ts';
import { postPath, postPlace, type PostPlace, readMonthFolder } from './post-path.ts';
import { postFormat, type PostDocument } from './post-document.ts';
import { mapAtOnce } from '../storage/pacing.ts';
import { monthsIn, stampOf } from '../storage/file-facts.ts';
import { postIndex, postTables } from './post-index.ts';

export interface PostCheck {
  /** The number of documents that contain a post, deleted or not. */
  posts: number;
  /** The problems found, as messages for the owner. */
  problems: string[];
}

/**
 * Queries that must return the same rows from two indexes of the same posts. The keys name these rows in messages to
 * the owner.
 */
const compared = {
  posts: `SELECT month || '/' || slug AS place, post, position, at, kind, status, visibility, deleted, listed, app
    FROM posts WHERE position IS NOT NULL ORDER BY place`,
  categories: `SELECT p.month || '/' || p.slug AS place, c.name, c.position FROM post_categories c
    JOIN posts p ON p.id = c.post ORDER BY place, name`,
  'redirects of posts': `SELECT month || '/' || slug AS place, moved_to FROM posts WHERE moved_to IS NOT NULL
    ORDER BY place`,
  'addresses of posts': `SELECT p.month || '/' || p.slug AS place, h.url, h.address FROM post_homes h
    JOIN posts p ON p.id = h.post ORDER BY place, url`,
  'sizes of lists': `SELECT list || ' ' || name AS place, kept, listed FROM list_counts WHERE kept > 0 ORDER BY place`,
  'files of posts': `SELECT p.month || '/' || p.slug AS place, f.path, f.position FROM post_files f
    JOIN posts p ON p.id = f.post ORDER BY place, path`,
  'words of posts': `SELECT p.month || '/' || p.slug AS place, w.words FROM post_words w
    JOIN posts p ON p.id = w.rowid ORDER BY place`,
};

/** How many documents are read before their rows are written in one transaction. */
const atOnce = 32;

/**
 * Reads every document in `dir`. Compares the index `kept` with a new index of these documents (see compareWithNew).
 */
export async function checkPosts(dir: string, kept?: IndexDatabase): Promise<PostCheck> {
  const check: PostCheck = { posts: 0, problems: [] };
  await compareWithNew({ tables: postTables, compared, kept }, check.problems, async (made) => {
    const rows = postIndex(made);
    for (const month of await monthsIn(dir)) {
      const slugs = [...(await readMonthFolder(join(dir, month))).documents];
      for (let start = 0; start < slugs.length; start += atOnce) {
        const found = await mapAtOnce(slugs.slice(start, start + atOnce), async (slug) => {
          const place = { month, slug };
          const document = await readPlace(dir, place, check);
          return document && { place, document, stamp: await stampOf(fileIn(dir, place)) };
        });
        made.together(() => {
          for (const one of found) {
            if (one === undefined) continue;
            if (one.document.post !== null) check.posts += 1;
            rows.put(one.place, one.stamp, one.document);
          }
        });
      }
    }
  });
  return check;
}

const codec = documentCodec(postFormat);

async function readPlace(dir: string, place: PostPlace, check: PostCheck): Promise<PostDocument | undefined> {
  const file = fileIn(dir, place);
  const found = await readJson(file, codec.kind, nodeOperations);
  if (found.state === 'missing') return undefined;
  const decoded = found.state === 'broken' ? { broken: found.reason } : codec.decode(found.value, file);
  if ('broken' in decoded) {
    check.problems.push(`${postPath(place)} cannot be used: ${decoded.broken}.`);
    return undefined;
  }
  const { post, movedTo } = decoded.data;
  if (post === null && movedTo !== null && postPlace(movedTo) === undefined)
    check.problems.push(`${postPath(place)} leads nowhere.`);
  return decoded.data;
}

const fileIn = (dir: string, { month, slug }: PostPlace) => join(dir, month, `${slug}.json`);
