import path from 'node:path';
import { indexParts } from '../../src-main/service/index-parts.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { inMemory, openIndex } from '../../src-main/storage/index/index-database.ts';
import type { NewMention } from '../../src-main/mentions/mention-store.ts';
import { createMentionStore } from '../../src-main/mentions/mentions-on-disk.ts';

const atOnce = 2_000;
const day = 86_400_000;
const types = [
  ['like', 'like-of'],
  ['reply', 'in-reply-to'],
  ['repost', 'repost-of'],
  ['mention', 'mention-of'],
] as const;

/** How many of the mentions are of one post. */
const ofPost = 20;

/** The address of a page whose mentions are counted. */
const targetOf = (page: number) => `https://owner.example/page-${page}`;

/** Stores `count` mentions in a data folder as the app does: 20 of `post`, and ten of each other page. */
export async function fillWithMentions(dataDir: string, count: number, post: string): Promise<void> {
  const start = Date.UTC(2022, 0, 1);
  const store = createMentionStore({
    dir: path.join(dataDir, 'mentions'),
    // The server builds its own.
    index: openIndex(inMemory, indexParts),
    now: () => start,
    log: silentLog,
  });
  for (let done = 0; done < count; done += atOnce) {
    const numbers = Array.from({ length: Math.min(atOnce, count - done) }, (_, index) => done + index);
    await store.keepAll(
      numbers.map((number) =>
        mentionAt(number, number < ofPost ? post : targetOf(Math.floor(number / 10)), start),
      ),
    );
  }
}

function mentionAt(number: number, target: string, start: number): NewMention {
  const [type, property] = types[number % types.length] ?? types[0];
  const received = new Date(start + (number * 1_700 * day) / 100_000).toISOString();
  return {
    source: `https://site-${number % 5_000}.example/${number}`,
    target,
    status: 'approved',
    received,
    parsed: received,
    facts: {
      type,
      property,
      published: received,
      author: {
        name: `Visitor ${number % 5_000}`,
        url: `https://site-${number % 5_000}.example/`,
        photo: '',
      },
      ...(type === 'reply' && { content: { value: 'What a nice porch, and what a lamp!' } }),
    },
  };
}
