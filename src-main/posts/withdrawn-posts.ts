import { join } from 'node:path';
import { writeDocument } from '../storage/document.ts';
import { monthsIn } from '../storage/file-facts.ts';
import { readRecords } from '../storage/records/closed-records.ts';
import type { Row } from '../storage/records/record-table.ts';
import { copyPath, documentOf, readCopy } from './file-copies.ts';
import { type PostDocument, postFormat, type StoredPost } from './post-document.ts';
import { postPath, postPlace, type PostPlace, readMonthFolder } from './post-path.ts';
import { postReads } from './post-reads.ts';
import { postTable } from './post-table.ts';

/** The maximum number of redirects to follow, because redirects may be circular. No real post has that many. */
const mostMoves = 20;

/** A post that a restore would show to more people. */
interface WithdrawnPost {
  /** The documents on the way to the post in this folder, the post's own included, by place. */
  readonly documents: readonly { readonly place: PostPlace; readonly document: PostDocument }[];
}

/**
 * Finds the posts that more people can see in the unpacked backup `there` than in the data folder `here`, whose database
 * may be open. In `here`, they were deleted, turned into drafts, or made private or unlisted.
 */
export async function* withdrawnPosts(here: string, there: string): AsyncGenerator<WithdrawnPost> {
  const inBackup = join(there, 'posts');
  for (const month of await monthsIn(inBackup)) {
    const reaches = new Map<string, 0 | 1 | 2>();
    for (const slug of (await readMonthFolder(join(inBackup, month))).documents) {
      const found = await readCopy(copyPath(inBackup, { month, slug }));
      const reach = reachOf(found.state === 'whole' ? found.document.post : null);
      if (reach > 0) reaches.set(slug, reach);
    }
    for (const documents of await documentsFrom(here, month, [...reaches.keys()])) {
      const last = documents.at(-1)?.document;
      if (!last?.post) continue;
      // Nobody sees a doubtful post here.
      const reach = last.doubtful === true ? 0 : reachOf(last.post);
      if (reach < (reaches.get(documents[0]?.place.slug ?? '') ?? 0)) yield { documents };
    }
  }
}

/**
 * Writes the posts that withdrawnPosts finds as they are in the folder `here` into the unpacked backup `there`, so that
 * restoring it does not publish them again.
 */
export async function keepPostsWithdrawn(here: string, there: string): Promise<void> {
  for await (const { documents } of withdrawnPosts(here, there))
    for (const { place, document } of documents)
      await writeDocument(copyPath(join(there, 'posts'), place), postFormat, document);
}

type Documents = WithdrawnPost['documents'];

/**
 * Follows redirects from some slugs of a month to posts: in the rows, or in the file copies if the database can't be read.
 * Returns what is on the way to each post.
 */
async function documentsFrom(dir: string, month: string, slugs: readonly string[]): Promise<Documents[]> {
  const places = slugs.map((slug) => ({ month, slug }));
  const found = await readRecords(dir, postTable, (database) => {
    const reads = postReads((sql, ...cells) => database.prepare(sql).all(...cells) as Row[]);
    const documentAt = (place: PostPlace) => {
      const row = reads.at(place);
      return row && documentOf(row, reads);
    };
    return places.map((place) => followedNow(place, documentAt));
  }).catch(() => undefined);
  if (found !== undefined && found !== 'damaged') return found;
  const all: Documents[] = [];
  for (const place of places) {
    const known = new Map<string, PostDocument | undefined>();
    // Reads one more file on the way until no redirect is left.
    for (
      let next: PostPlace | undefined = place;
      next && !known.has(postPath(next)) && known.size <= mostMoves;
    ) {
      const file = await readCopy(copyPath(join(dir, 'posts'), next));
      const document: PostDocument | undefined = file.state === 'whole' ? file.document : undefined;
      known.set(postPath(next), document);
      next = document?.post ? undefined : postPlace(document?.movedTo ?? '');
    }
    all.push(followedNow(place, (at) => known.get(postPath(at))));
  }
  return all;
}

function followedNow(
  start: PostPlace,
  documentAt: (place: PostPlace) => PostDocument | undefined,
): Documents {
  const documents: { place: PostPlace; document: PostDocument }[] = [];
  for (let place: PostPlace | undefined = start; place && documents.length <= mostMoves;) {
    const document = documentAt(place);
    if (document === undefined) return [];
    documents.push({ place, document });
    if (document.post) return documents;
    place = postPlace(document.movedTo ?? '');
  }
  return [];
}

/**
 * Returns who can read a post once its publication date has passed: 0 for nobody, 1 for everyone who knows its URL, 2
 * for everyone.
 */
function reachOf(post: StoredPost | null): 0 | 1 | 2 {
  if (post === null || post.deletedAt !== null || post.status === 'draft') return 0;
  if (post.visibility === 'private') return 0;
  return post.visibility === 'unlisted' ? 1 : 2;
}
