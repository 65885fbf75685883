import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { PorchlightError } from '../contract/error.ts';
import { closed } from '../contract/shapes.ts';
import { scheduleOf } from '../platform/retry-schedule.ts';
import { writeDocument } from '../storage/document.ts';
import { documentCodec } from '../storage/document-format.ts';
import { documentKinds, tooLarge } from '../storage/document-kinds.ts';
import { isThere, stampNow } from '../storage/file-facts.ts';
import { readJson } from '../storage/file-content.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import type { Transaction } from '../storage/records/group-commit.ts';
import { errorCode } from '../storage/storage-error.ts';
import type { WorkQueue } from '../storage/work/work.ts';
import { emptyPostDocument, type PostDocument, postFormat, sealOf } from './post-document.ts';
import { postPath, postPlace, type PostPlace } from './post-path.ts';
import type { PostReads } from './post-reads.ts';
import type { PostRow } from './post-table.ts';

/** What is at the path of a file copy. */
export type FoundFile =
  | { readonly state: 'missing' }
  /** Nobody can read it as a post: with the reason. */
  | { readonly state: 'unreadable'; readonly reason: string }
  | {
      readonly state: 'whole';
      readonly document: PostDocument;
      readonly stamp: string;
      /** Whether the file is as Porchlight wrote it, whichever row it shows. */
      readonly isSealed: boolean;
    };

const codec = documentCodec(postFormat);

/** Returns the path of the file copy of a row. `dir`: the folder of all posts. */
export const copyPath = (dir: string, { month, slug }: PostPlace): string => join(dir, month, `${slug}.json`);

/**
 * Reads what is at the path of a file copy. Never opens what is no file, or too large.
 * @throws PorchlightError `storage_unreadable`
 */
export async function readCopy(file: string): Promise<FoundFile> {
  const about = await lstat(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  });
  if (about === undefined) return { state: 'missing' };
  if (!about.isFile()) return { state: 'unreadable', reason: 'it is no file' };
  if (about.size > documentKinds.post) return { state: 'unreadable', reason: tooLarge('post') };
  const stamp = stampNow(file);
  const found = await readJson(file, 'post', nodeOperations);
  if (found.state === 'missing') return found;
  if (found.state === 'broken') return { state: 'unreadable', reason: found.reason };
  const decoded = decodedOf(found.value, file);
  if ('broken' in decoded) return { state: 'unreadable', reason: decoded.broken };
  const document = decoded.data;
  const { post, movedTo } = document;
  if ((post === null) === (movedTo === null)) return { state: 'unreadable', reason: 'it holds no post' };
  return { state: 'whole', document, stamp, isSealed: document.seal === sealOf(document) };
}

function decodedOf(value: unknown, file: string): ReturnType<typeof codec.decode> {
  try {
    return codec.decode(value, file);
  } catch (error) {
    if (error instanceof PorchlightError && error.code === 'storage_newer')
      return { broken: 'a newer Porchlight wrote it' };
    if (error instanceof PorchlightError) return { broken: error.message };
    throw error;
  }
}

/** Returns whether a file says the same as a document, whatever its counter and seal. Older files have no id for feeds. */
export function saysTheSame(file: PostDocument, document: PostDocument): boolean {
  const feedId = file.post?.feedId === undefined ? { feedId: undefined } : {};
  const said = ({ post, movedTo, history, edits }: PostDocument) =>
    JSON.parse(JSON.stringify([post && { ...post, ...feedId }, movedTo, history, edits])) as unknown;
  return isDeepStrictEqual(said(file), said(document));
}

/** Returns the document of a row. */
export function documentOf(
  { id, post, movedTo, counter, isDoubtful }: PostRow,
  reads: Pick<PostReads, 'history' | 'edits'>,
): PostDocument {
  const parts = id === null ? {} : { history: reads.history(id), edits: reads.edits(id), id };
  const document: PostDocument = {
    ...emptyPostDocument,
    post,
    movedTo,
    ...parts,
    counter,
    ...(isDoubtful && { doubtful: true as const }),
  };
  // As it will be read: without undefined values.
  const copied = JSON.parse(JSON.stringify(document)) as PostDocument;
  return { ...copied, seal: sealOf(copied) };
}

/**
 * Writes the file copies of posts, for people and for the time after Porchlight. They follow the rows within seconds, one
 * way. A file that somebody edited is kept under another name before it is replaced. `dir`: the folder of all posts.
 */
export function createFileCopies(dir: string, reads: PostReads, work: Pick<WorkQueue, 'defineWork'>) {
  const copying = work.defineWork({
    kind: 'file',
    payload: closed({}),
    retries: scheduleOf('publishing'),
    perParty: copiesAtOnce,
    total: copiesAtOnce,
    async run({ key }) {
      const place = postPlace(key);
      const stamp = place && (await write(place));
      if (place === undefined || stamp === undefined) return { kind: 'done' };
      return { kind: 'done', also: (transaction) => noteCopy(transaction, place, stamp) };
    },
  });

  /** Writes a file copy. Returns the version of the file; undefined if there is nothing to write. */
  async function write(place: PostPlace): Promise<string | undefined> {
    const row = reads.at(place);
    // Nobody knows yet whether the file is newer.
    if (row === undefined || row.isDoubtful) return undefined;
    const document = documentOf(row, reads);
    const file = copyPath(dir, place);
    if (stampNow(file) !== reads.copyOf(place)) {
      const found = await readCopy(file);
      if (found.state === 'whole' && found.document.seal === document.seal && found.isSealed)
        return found.stamp;
      if (
        found.state !== 'missing' &&
        !(found.state === 'whole' && found.isSealed) &&
        !isSame(found, document)
      )
        await nodeOperations.rename(file, await freeName(`${file}.edited`));
    }
    await writeDocument(file, postFormat, document);
    return stampNow(file);
  }

  return {
    /** Queues the file copies of rows in the transaction that changes them. */
    addIn: (transaction: Transaction, ...places: readonly PostPlace[]): void =>
      copying.addIn(
        transaction,
        ...[...new Set(places.map(postPath))].map((key) => ({ key, party: 'owner', host: key, payload: {} })),
      ),
    /** Returns whether the file copy of a row is still to be written. */
    isWaiting: (place: PostPlace): boolean => copying.entry(postPath(place)) !== undefined,
    /** Writes all file copies that wait. Resolves once they are on disk, or once each was tried. */
    async settled(): Promise<void> {
      if (copying.size > 0) await copying.runNow();
    },
  };
}

export type FileCopies = ReturnType<typeof createFileCopies>;

const copiesAtOnce = 4;

const isSame = (found: FoundFile, document: PostDocument): boolean =>
  found.state === 'whole' && saysTheSame(found.document, document);

/** Records the version of a file copy that was written or read. */
export const noteCopy = (
  transaction: Pick<Transaction, 'run'>,
  { month, slug }: PostPlace,
  stamp: string,
): void => void transaction.run('UPDATE posts SET copy = ? WHERE month = ? AND slug = ?', stamp, month, slug);

/** Returns a path that nothing has: `path`, or the path with a number. */
async function freeName(path: string): Promise<string> {
  for (let turn = 1; ; turn += 1) {
    const name = turn === 1 ? path : `${path}-${turn}`;
    if (!(await isThere(name))) return name;
  }
}
