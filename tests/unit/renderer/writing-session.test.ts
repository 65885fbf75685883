import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { MethodName, Params, Result } from '../../../src-main/contract/contract.ts';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { PostItem } from '../../../src-main/contract/posts.ts';
import type { PostText } from '../../../src-main/contract/writing.ts';
import { withKind } from '../../../src-renderer/features/write/form.ts';
import { openPost } from '../../../src-renderer/features/write/opened-post.ts';
import { startWriting } from '../../../src-renderer/features/write/session.ts';

interface Stored {
  text: PostText;
  version: number;
  deletedAt: string | null;
}

/** `slow`: it replies after a second. `loses one reply`: it does what the next call asks, but the reply gets lost. */
type Trouble = 'down' | 'slow' | 'loses one reply';

/** A server that keeps posts. */
function server() {
  const posts = new Map<string, Stored>();
  /** The posts that requests have created, by the IDs of the requests. */
  const created = new Map<string, ReturnType<typeof saved>>();
  let publications = 0;
  let trouble: Trouble | null = null;

  function find(url: string): Stored {
    const post = posts.get(url);
    if (post === undefined) throw new PorchlightError('not_found', 'No such post.');
    return post;
  }
  const item = (url: string): PostItem => {
    const { text, deletedAt } = find(url);
    const shown = { kind: 'note', name: '', summary: text.text, visibility: 'public' } as const;
    const published = '2026-11-22T12:00:00Z';
    return { path: new URL(url).pathname, url, ...shown, status: text.status, published, deletedAt };
  };
  const saved = (url: string) => ({ ...item(url), version: String(find(url).version) });

  function reply(method: MethodName, params: unknown): unknown {
    if (method === 'posts.create') {
      const { requestId = '', ...text } = params as PostText & { requestId?: string };
      const before = created.get(requestId);
      if (before) return before;
      const url = `https://porch.example/posts/2026/11/draft-${posts.size + 1}`;
      posts.set(url, { text, version: 1, deletedAt: null });
      if (text.status === 'published') publications += 1;
      if (requestId !== '') created.set(requestId, saved(url));
      return saved(url);
    }
    const { url, ifVersion, ...text } = params as Params<'posts.update'>;
    const post = find(url);
    if (method === 'posts.get') return { item: item(url) };
    if (method === 'posts.source') return { ...post.text, version: String(post.version) };
    if (method === 'posts.edits') return { edits: null };
    if (method === 'posts.delete') {
      post.deletedAt = '2026-11-22T12:00:00Z';
      return item(url);
    }
    if (method !== 'posts.update') throw new Error(`Not expected: ${method}`);
    if (post.deletedAt !== null) throw new PorchlightError('invalid_request', 'The post is deleted.');
    if (ifVersion !== String(post.version)) throw new PorchlightError('conflict', 'It has changed.');
    if (text.status === 'published' && post.text.status === 'draft') publications += 1;
    post.text = { ...post.text, ...text };
    // The server chooses the address and the date of a post that has none.
    if (post.text.status === 'published') {
      post.text.slug ??= 'its-first-words';
      post.text.published ||= '2026-11-22T12:00:00Z';
    }
    post.version += 1;
    return saved(url);
  }

  const call = async <M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>> => {
    const now = trouble;
    if (now === 'loses one reply') trouble = null;
    if (now === 'slow') await new Promise((resolve) => setTimeout(resolve, 1000));
    const result = now === 'down' ? null : await Promise.resolve().then(() => reply(method, params));
    if (now === 'down' || now === 'loses one reply')
      throw new PorchlightError('unreachable', 'Porchlight isn’t responding.');
    return result as Result<M>;
  };
  return {
    call,
    publications: () => publications,
    texts: () => [...posts.values()].filter((post) => post.deletedAt === null).map(({ text }) => text),
    set: (next: Trouble | null) => {
      trouble = next;
    },
  };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a draft that could not be discarded', () => {
  /** A draft on the server whose owner wants to discard it. */
  async function draft() {
    const here = server();
    const session = startWriting({ call: here.call });
    session.change({ text: 'One' });
    await pass(1100);
    return { here, session };
  }

  test('is saved as before, and can be published', async () => {
    const { here, session } = await draft();
    here.set('down');
    expect(await session.discard()).toBe(false);
    expect(session.snapshot().error?.message).toBe('Porchlight isn’t responding.');
    here.set(null);
    session.change({ text: 'One, and a thousand words more' });
    await pass(1100);
    expect(here.texts()).toMatchObject([{ text: 'One, and a thousand words more', status: 'draft' }]);
    expect(session.snapshot().save.name).toBe('saved');
    expect(await session.send('published')).toMatchObject({ status: 'published' });
  });

  test('is at risk until it is deleted, if its last words are not saved', async () => {
    const { here, session } = await draft();
    session.change({ text: 'One two' });
    here.set('slow');
    const discarding = session.discard();
    await pass(900);
    expect(session.isAtRisk()).toBe(true);
    await pass(100);
    expect(await discarding).toBe(true);
    expect(session.isAtRisk()).toBe(false);
    expect(here.texts()).toEqual([]);
  });

  test('counts as discarded if only the reply was lost', async () => {
    const { here, session } = await draft();
    here.set('loses one reply');
    expect(await session.discard()).toBe(true);
    expect(here.texts()).toEqual([]);
  });
});

test('a draft keeps its text when the owner chooses a kind that has none, also after a reload', async () => {
  const { call, texts } = server();
  const session = startWriting({ call });
  session.change({ text: 'Five hundred words' });
  await pass(1100);
  session.edit((form) => withKind(form, 'like'));
  session.change({ likeOf: 'https://wren.example/' });
  await pass(1100);
  expect(texts()).toMatchObject([{ text: 'Five hundred words', likeOf: 'https://wren.example/' }]);
  const opened = await openPost(call, session.snapshot().post?.url ?? '');
  const again = startWriting({ call, opened });
  expect(again.snapshot().form).toMatchObject({ kind: 'like', text: 'Five hundred words' });
  again.edit((form) => withKind(form, 'note'));
  await pass(1100);
  expect(texts()).toMatchObject([{ text: 'Five hundred words', likeOf: '' }]);
});

describe('a new post whose reply got lost', () => {
  test('becomes one draft, with the words that the owner wrote in the meantime', async () => {
    const here = server();
    const session = startWriting({ call: here.call });
    here.set('loses one reply');
    session.change({ text: 'One' });
    await pass(1100);
    expect(session.snapshot().save.name).toBe('failed');
    session.change({ text: 'One two' });
    await pass(5000);
    expect(here.texts()).toMatchObject([{ text: 'One two' }]);
    expect(session.snapshot().save.name).toBe('saved');
  });

  test('does not replace another window’s saved changes', async () => {
    const here = server();
    const session = startWriting({ call: here.call });
    here.set('loses one reply');
    session.change({ text: 'One' });
    await pass(1100);
    const { post } = await openPost(here.call, 'https://porch.example/posts/2026/11/draft-1');
    await here.call('posts.update', { url: post.url, ifVersion: post.version, text: 'One, elsewhere' });
    session.change({ text: 'One two' });
    await pass(5000);
    expect(session.snapshot().save.name).toBe('conflict');
    expect(here.texts()).toMatchObject([{ text: 'One, elsewhere' }]);
  });

  test('is written again after a refusal', async () => {
    const here = server();
    const call = vi.fn(here.call);
    const session = startWriting({ call: call as typeof here.call });
    call.mockRejectedValueOnce(new PorchlightError('invalid_request', 'Not like that.'));
    session.change({ text: 'One' });
    await pass(1100);
    session.change({ text: 'Two' });
    await pass(1100);
    expect(here.texts()).toMatchObject([{ text: 'Two' }]);
    expect(call.mock.calls.map(([method]) => method)).toEqual(['posts.create', 'posts.create']);
  });

  test.each([
    ['its draft', 1],
    ['its publication', 2],
  ])('when the owner published it is one post, published once: the reply to %s', async (_, lost) => {
    const here = server();
    let count = 0;
    const call: typeof here.call = (method, params) => {
      count += 1;
      if (count === lost) here.set('loses one reply');
      return here.call(method, params);
    };
    const session = startWriting({ call, kind: 'like', prefill: { likeOf: 'https://wren.example/' } });
    expect(await session.send('published')).toBeUndefined();
    expect(session.snapshot().error?.message).toBe('Porchlight isn’t responding.');
    await pass(60_000);
    expect(await session.send('published')).toMatchObject({ status: 'published' });
    expect(session.snapshot().save.name).toBe('saved');
    expect(here.texts()).toMatchObject([{ likeOf: 'https://wren.example/', status: 'published' }]);
    expect(here.publications()).toBe(1);
  });
});

test('two new posts with the same words are two posts', async () => {
  const here = server();
  for (const session of [startWriting({ call: here.call }), startWriting({ call: here.call })]) {
    session.change({ text: 'Good morning' });
    expect(await session.send('published')).toMatchObject({ status: 'published' });
  }
  expect(here.texts()).toMatchObject([{ text: 'Good morning' }, { text: 'Good morning' }]);
});
