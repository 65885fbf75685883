import { join } from 'node:path';
import type { Post, Properties } from '../../src-main/contract/posts.ts';
import type { PostContent, PostFilter, PostStore } from '../../src-main/posts/post-store.ts';
import { expect } from 'vitest';
import { checkPosts, type PostCheck } from '../../src-main/posts/check-posts.ts';
import { postTables } from '../../src-main/posts/post-index.ts';
import { createPostStore } from '../../src-main/posts/stored-posts.ts';
import { openIndex, type IndexDatabase } from '../../src-main/storage/index/index-database.ts';
import type { FileOperations } from '../../src-main/storage/file-operations.ts';
import type { Recovery } from '../../src-main/storage/recovery.ts';
import { temporaryFolder } from './storage-folder.ts';

export const now = Date.parse('2026-11-20T10:00:00Z');
export const month = '2026/11';

export function content(properties: Properties, rest: Partial<PostContent> = {}): PostContent {
  return { type: ['h-entry'], properties, commands: {}, status: 'published', visibility: 'public', ...rest };
}

export const note = (text: string, published?: string) =>
  content({ content: [text], ...(published !== undefined && { published: [published] }) });

export async function newStore(operations?: FileOperations) {
  const dir = await temporaryFolder();
  const recoveries: Recovery[] = [];
  let index: IndexDatabase;
  /** As at a start after a kill: the index was not closed. */
  const open = () => {
    index = openIndex(join(dir, 'index.sqlite'), [postTables]);
    return createPostStore({
      dir,
      index,
      operations,
      onRecovered: (recovery) => void recoveries.push(recovery),
    });
  };
  return {
    dir,
    recoveries,
    open,
    index: () => index,
    closeIndex: () => index.close(),
    posts: open(),
    /** Compares the documents with the index of the store that was opened last. */
    check: (): Promise<PostCheck> => {
      expect(index.isTrusted(postTables)).toBe(true);
      return checkPosts(dir, index);
    },
  };
}

export const pathsOf = ({ items }: { items: Post[] }) => items.map(({ path }) => path);

export async function everyPath(posts: PostStore, limit: number, filter?: PostFilter): Promise<string[]> {
  const paths: string[] = [];
  let after: string | undefined;
  do {
    const page = await posts.list({
      limit,
      ...(after !== undefined && { after }),
      ...(filter && { filter }),
    });
    paths.push(...pathsOf(page));
    ({ after } = page);
  } while (after !== undefined);
  return paths;
}

export const refused = { code: 'invalid_request', status: 400 };
