import { silentLog } from '../../src-main/platform/log.ts';
import { recordTables } from '../../src-main/app/tables.ts';
import { openRecords } from '../../src-main/storage/records/records.ts';
import { createVersions } from '../../src-main/storage/caches.ts';
import type { NewMention } from '../../src-main/mentions/mention.ts';
import { MentionStore } from '../../src-main/mentions/mention-store.ts';

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
  const log = silentLog;
  const records = await openRecords({ dir: dataDir, tables: recordTables, log });
  const store = new MentionStore({ records, versions: createVersions(), now: () => start, log });
  for (let done = 0; done < count; done += atOnce) {
    const numbers = Array.from({ length: Math.min(atOnce, count - done) }, (_, index) => done + index);
    await store.keepAll(
      numbers.map((number) =>
        mentionAt(number, number < ofPost ? post : targetOf(Math.floor(number / 10)), start),
      ),
    );
  }
  await store.close();
  await records.close();
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
