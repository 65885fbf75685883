import { cp } from 'node:fs/promises';
import path from 'node:path';
import { indexName } from '../../src-main/storage/index/index-database.ts';
import { fillWithMentions } from './mention-folder.ts';
import { fillWithPosts } from './post-folder.ts';
import { publicUrl, type Program } from './servers.ts';

/** How much data a program has. */
export interface Size {
  readonly posts: number;
  readonly mentions: number;
}

export const little: Size = { posts: 100, mentions: 100 };

/** Fills a data folder. Returns the path of a post with 20 responses. */
export async function fillFolder(dataDir: string, { posts, mentions }: Size): Promise<string> {
  const post = await fillWithPosts(dataDir, posts);
  await fillWithMentions(dataDir, mentions, `${publicUrl}${post}`);
  return post;
}

/** Returns a program with a copy of another one's data folder, without the index, which each program builds. */
export async function withCopy(
  program: Program,
  { name, root }: Pick<Program, 'name' | 'root'>,
): Promise<Program> {
  const dataDir = `${program.dataDir}-${name}`;
  const index = path.join(program.dataDir, indexName);
  await cp(program.dataDir, dataDir, { recursive: true, filter: (file) => !file.startsWith(index) });
  return { ...program, name, root, dataDir };
}
