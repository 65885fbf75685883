import { describe, expect, test } from 'vitest';
import type { Post } from '../../../src-main/contract/posts.ts';
import { tellPublishers, type Publisher } from '../../../src-main/site/publisher.ts';
import { postOf, twoDaysLater } from '../../support/site.ts';

const now = twoDaysLater;
const open = postOf({ content: ['Hi'] });
const draft: Post = { ...open, status: 'draft' };
const secret: Post = { ...open, visibility: 'private' };
const gone: Post = { ...open, deletedAt: '2026-11-22T00:00:00.000Z' };
const later: Post = { ...open, properties: { published: ['2026-12-01T00:00:00Z'] } };
const moved: Post = { ...open, path: '/posts/2026/11/two' };

function listening(): { publisher: Publisher; told: string[] } {
  const told: string[] = [];
  const note = (verb: string) => (post: Post) => {
    told.push(`${verb} ${post.path.split('/').at(-1) ?? ''}`);
    return Promise.resolve();
  };
  return { publisher: { name: 'test', publish: note('publish'), remove: note('remove') }, told };
}

describe('a publisher', () => {
  test.each<[string, { post: Post; before?: Post }, string[]]>([
    ['a new post', { post: open }, ['publish one']],
    ['an edit', { post: open, before: open }, ['publish one']],
    ['MX-2 a new draft', { post: draft }, []],
    ['MX-2 a draft that is edited', { post: draft, before: draft }, []],
    ['MX-2 a draft that is published', { post: open, before: draft }, ['publish one']],
    ['MX-2 a post that becomes a draft', { post: draft, before: open }, ['remove one']],
    ['MX-2 a post for later', { post: later }, []],
    ['MX-2 a post that is put off', { post: later, before: open }, ['remove one']],
    ['MX-3 a private post', { post: secret }, []],
    ['MX-3 a post that becomes private', { post: secret, before: open }, ['remove one']],
    ['MX-3 an unlisted post', { post: { ...open, visibility: 'unlisted' } }, ['publish one']],
    ['MP-51 a deletion', { post: gone, before: open }, ['remove one']],
    ['MP-51 the deletion of a draft', { post: { ...gone, status: 'draft' }, before: draft }, []],
    ['MP-51 a restored post', { post: open, before: gone }, ['publish one']],
    ['a move', { post: moved, before: open }, ['remove one', 'publish two']],
    ['the move of a draft', { post: { ...moved, status: 'draft' }, before: draft }, []],
  ])('is told of %s as the public sees it', async (_what, change, expected) => {
    const { publisher, told } = listening();
    await tellPublishers([publisher], { ...change, now });
    expect(told).toEqual(expected);
  });

  test('that fails does not keep the others from hearing, and is named', async () => {
    const { publisher, told } = listening();
    const failing = { ...publisher, name: 'Far away', publish: () => Promise.reject(new Error('closed')) };
    await expect(tellPublishers([failing, publisher], { post: open, now })).rejects.toThrow(/Far away/);
    expect(told).toEqual(['publish one']);
  });
});
