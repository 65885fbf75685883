import { expect, test } from 'vitest';
import type { Post } from '../../../../src-main/contract/posts.ts';
import { publishedAt } from '../../../../src-main/posts/published.ts';
import { createNews } from '../../../../src-main/mailbox/copies/news.ts';
import { postOf } from '../../../support/site.ts';

const minute = 60_000;

test.each(['as time passes', 'while this computer sleeps right after it was saved'])(
  'a scheduled post that becomes public %s is news, once',
  async (when) => {
    let now = Date.parse('2026-11-20T12:00:00Z');
    let version = 0;
    const all: Post[] = [];
    const news = createNews({
      now: () => now,
      versions: { of: (source) => (source === 'posts' ? version : 0) },
      posts: {
        list: ({ filter: { publishedAfter = -Infinity, publishedBy = Infinity } = {} }) =>
          Promise.resolve({
            items: all.filter((one) => publishedAt(one) > publishedAfter && publishedAt(one) <= publishedBy),
          }),
        formerPaths: () => Promise.resolve([]),
      },
    });
    const opened: Post[] = [];
    const look = () => news.look((post) => void opened.push(post));
    await look();
    const post = postOf({ published: [new Date(now + minute).toISOString()] });
    all.push(post);
    version += 1;
    if (when === 'as time passes') await look();
    expect(opened).toEqual([]);
    now += 2 * minute;
    await look();
    expect(opened).toEqual([post]);
    now += minute;
    await look();
    expect(opened).toEqual([post]);
  },
);
