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
      const text = params as PostText;
      const url = `https://porch.example/posts/2026/11/draft-${posts.size + 1}`;
      posts.set(url, { text, version: 1, deletedAt: null });
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
    post.text = { ...post.text, ...text };
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

  test('is saved further, and can be published', async () => {
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

  test('is discarded after all if only the reply got lost', async () => {
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
