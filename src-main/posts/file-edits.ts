import { dirname } from 'node:path';
import type { Post, PostChange } from '../contract/posts.ts';
import { isFolder } from '../storage/file-facts.ts';
import { copyPath, type FileCopies, noteCopy, readCopy } from './file-copies.ts';
import type { FilesFound } from './file-differences.ts';
import type { FileReading } from './file-reading.ts';
import type { PostChanges } from './post-changes.ts';
import { tooManyValues } from './post-content.ts';
import {
  changedPost,
  contentOfPost,
  newPost,
  postAt,
  type PostDocument,
  withVersion,
} from './post-document.ts';
import { postPath, type PostPlace } from './post-path.ts';
import { newPostId } from './post-rows.ts';
import type { PostStore, Within } from './post-store.ts';

interface EditsOptions {
  /** The folder of all posts. */
  readonly dir: string;
  readonly changes: PostChanges;
  readonly copies: Pick<FileCopies, 'addIn' | 'settled'>;
  readonly files: Pick<FileReading, 'look' | 'found'>;
  readonly posts: Pick<PostStore, 'setDeleted'>;
  readonly now: () => number;
}

/** What the owner asks for. */
export interface ReadOrder {
  /** What becomes of posts whose file is gone: the file is written again, or the post is deleted. */
  readonly missing?: 'write' | 'delete' | undefined;
  /** The files that bring back what was deleted or hidden since they were written. */
  readonly bringBack?: readonly string[] | undefined;
}

/** A change that a file has brought. */
export interface FileChange {
  readonly post: Post;
  readonly before?: Post;
  readonly change: PostChange['change'];
}

/** What was read. The lists have the files that were read, and those that are still as `FilesFound` says. */
interface FilesRead extends Pick<FilesFound, 'missing' | 'ended' | 'unreadable'> {
  readonly changed: readonly string[];
  readonly added: readonly string[];
}

/** `changes`: what has to be followed. */
export interface ReadFiles {
  readonly result: FilesRead;
  readonly changes: readonly FileChange[];
}

/** How many posts a call deletes at once only if it is repeated. */
const mostAtOnce = 10;

/** Reads edited files when the owner asks. Each edit is checked, and becomes a version by the owner. */
export function createFileEdits({ dir, changes, copies, files, posts, now }: EditsOptions) {
  const { write } = changes;
  /** The posts that the last call would have deleted, if it is repeated. */
  let confirmed = new Set<string>();

  const placeOf = (file: string): PostPlace => ({
    month: dirname(file),
    slug: file.slice(dirname(file).length + 1, -'.json'.length),
  });

  /**
   * Reads one file. Returns the change; undefined if the file says what the post says already.
   * @throws Unreadable
   */
  async function readOne(file: string, within: Within): Promise<FileChange | undefined> {
    const place = placeOf(file);
    const read = await readCopy(copyPath(dir, place));
    if (read.state === 'missing') return undefined;
    if (read.state === 'unreadable') throw new Unreadable(read.reason);
    const { document, stamp } = read;
    const { post: edited, id } = document;
    if (edited === null) throw new Unreadable('it holds no post');
    const tooMany = tooManyValues([...Object.entries(edited.properties), ...Object.entries(edited.commands)]);
    if (tooMany !== undefined) throw new Unreadable(tooMany);
    const elsewhere = id === undefined ? undefined : changes.reads.placeOf(id);
    const isMoved = elsewhere !== undefined && postPath(elsewhere) !== postPath(place);
    if (isMoved && (await readCopy(copyPath(dir, elsewhere))).state !== 'missing')
      throw new Unreadable(`it is a copy of posts/${elsewhere.month}/${elsewhere.slug}.json`);
    return write(
      (writes, transaction): FileChange | undefined => {
        noteCopy(transaction, place, stamp);
        const from = isMoved ? elsewhere : place;
        const row = writes.at(from);
        if (row === undefined) return added(document, edited);
        if (row.post === null && row.movedTo === null) return added(document, edited);
        if (row.post === null || row.id === null) throw new Unreadable('it is at the former path of a post');
        if (isMoved && writes.has(place)) throw new Unreadable('another post has or had its path');
        const { deletedAt } = edited;
        const next = { ...changedPost(row.post, contentOfPost(edited), now()), deletedAt };
        if (isMoved) writes.put(from, { movedTo: postPath(place) });
        writes.put(place, { post: next, id: row.id }, { counter: row.counter + 1 });
        writes.setHistory(row.id, withVersion(writes.history(row.id), row.post, { now: now(), by: null }));
        copies.addIn(transaction, from, place);
        const before = postAt(from, row.post);
        within(transaction, { path: before.path, before });
        const wasDeleted = row.post.deletedAt !== null;
        if (wasDeleted === (deletedAt !== null))
          return { post: postAt(place, next), before, change: 'updated' };
        return { post: postAt(place, next), before, change: wasDeleted ? 'undeleted' : 'deleted' };

        function added(from: PostDocument, post: NonNullable<PostDocument['post']>): FileChange {
          const { createdAt, deletedAt: gone } = post;
          const made = { ...newPost(contentOfPost(post), Date.parse(createdAt) || now()), deletedAt: gone };
          const own = id ?? newPostId();
          writes.put(place, { post: made, id: own }, { counter: from.counter ?? 1 });
          writes.setHistory(own, from.history);
          copies.addIn(transaction, place);
          within(transaction, { path: postPath(place) });
          return { post: postAt(place, made), change: gone === null ? 'created' : 'deleted' };
        }
      },
      edited.deletedAt === null ? {} : { ends: true },
    );
  }

  /** Deletes the posts whose files are gone, which an earlier call or the start has named. */
  async function deleteMissing(known: readonly string[], missing: readonly string[], within: Within) {
    const named = missing.filter((file) => known.includes(file));
    const isConfirmed = named.every((file) => confirmed.has(file));
    if (!(await isFolder(dir)) || (named.length > mostAtOnce && !isConfirmed)) {
      confirmed = new Set(named);
      return [];
    }
    confirmed = new Set();
    const deleted: FileChange[] = [];
    for (const file of named) {
      const path = postPath(placeOf(file));
      let before: Post | undefined;
      const post = await posts.setDeleted(path, true, now(), (transaction, change) => {
        ({ before } = change);
        within(transaction, change);
      });
      if (before) deleted.push({ post, before, change: 'deleted' });
    }
    return deleted;
  }

  return async ({ missing, bringBack = [] }: ReadOrder, within: Within): Promise<ReadFiles> => {
    const known = files.found().missing;
    await copies.settled();
    const found = await files.look();
    const unreadable = [...found.unreadable];
    const done: FileChange[] = [];
    const read = { changed: [] as string[], added: [] as string[] };
    const wanted = [...found.changed, ...found.ended.filter((file) => bringBack.includes(file))];
    for (const [kind, list] of [
      ['changed', wanted],
      ['added', found.added],
    ] as const) {
      for (const file of list) {
        try {
          const change = await readOne(file, within);
          if (change) done.push(change);
          read[kind].push(file);
        } catch (error) {
          if (!(error instanceof Unreadable)) throw error;
          unreadable.push({ file, reason: error.message });
        }
      }
    }
    if (missing === 'write')
      await write((_writes, transaction) => copies.addIn(transaction, ...found.missing.map(placeOf)));
    if (missing === 'delete') done.push(...(await deleteMissing(known, found.missing, within)));
    await copies.settled();
    const left = await files.look();
    const result: FilesRead = { ...read, missing: left.missing, ended: left.ended, unreadable };
    return { result, changes: done };
  };
}

/** Thrown for a file that can't be taken as a post, with the reason. */
class Unreadable extends Error {}
