import type { Properties } from '../../src-main/contract/posts.ts';
import { largestPosts } from '../support/largest-posts.ts';
import type { Random } from './random.ts';
import { visitorOf, written } from './request.ts';
import type { Values } from './world.ts';

const lists = [
  '/',
  '/feed.atom',
  '/feed.rss',
  '/feed.json',
  '/categories/large',
  '/search?q=xxx',
  '/archive',
];

/**
 * Returns requests of one connection: one of the largest posts that an app may send, reads of its page and of lists that
 * show it, and its deletion.
 */
export function largePostBytes(values: Values, random: Random, host: string): Buffer {
  const name = random.pick(Object.keys(largestPosts));
  const largest: Properties = largestPosts[name]?.() ?? {};
  const { category = [], ...properties } = largest;
  const slug = `large-${random.hex(8)}`;
  const path = `/posts/2026/11/${slug}`;
  const headers = [['Authorization', `Bearer ${values['largeToken'] ?? ''}`]] as const;
  const post = (value: object) => ({
    method: 'POST',
    path: '/micropub',
    headers,
    body: { kind: 'json', value } as const,
  });
  const all = {
    ...properties,
    category: ['large', ...category],
    published: ['2026-11-20T10:00:00Z'],
    'mp-slug': [slug],
  };
  const reads = [path, ...lists.filter(() => random.chance(0.5))].map((place) => ({
    method: 'GET',
    path: place,
  }));
  const url = new URL(path, values['postUrl']).href;
  const drafts = [post({ type: ['h-entry'], properties: all }), ...reads];
  const parts = drafts.map((draft) => written(draft, host, visitorOf(random), false));
  return Buffer.concat([...parts, written(post({ action: 'delete', url }), host, visitorOf(random))]);
}
