import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { MethodName, Params, Result } from '../../../src-main/contract/contract.ts';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { PostItem } from '../../../src-main/contract/posts.ts';
import type { PostText, UnsavedEdits } from '../../../src-main/contract/writing.ts';
import { draftOf, emptyForm, textOf } from '../../../src-renderer/features/write/form.ts';
import { openPost, type OpenedPost } from '../../../src-renderer/features/write/opened-post.ts';
import { PostSaving } from '../../../src-renderer/features/write/saving.ts';

const url = 'https://porch.example/posts/2026/11/draft';
const base = textOf(emptyForm('note'), 'draft');

/** A server with one post, which any window can change. */
function server() {
  let version = 0;
  let post: PostText | null = null;
  let deletedAt: string | null = null;
  let edits: UnsavedEdits | null = null;
  let edited = 0;
  let failure: Error | null = null;
  let losesReply = false;
  const calls: { method: string; text?: string }[] = [];
  const item = (): PostItem => ({
    path: '/posts/2026/11/draft',
    url,
    kind: 'note',
    name: '',
    summary: '',
    visibility: 'public',
    published: '2026-11-22T12:00:00Z',
    deletedAt,
    status: post?.status ?? 'draft',
  });

  function reply(method: MethodName, params: unknown): unknown {
    if (failure) throw failure;
    if (method === 'posts.get') {
      if (post === null) throw new PorchlightError('not_found', 'No such post.');
      return { item: item() };
    }
    if (method === 'posts.source') return { ...post, version: String(version) };
    if (method === 'posts.edits') return { edits };
    if (method === 'posts.keepEdits') {
      const { edits: next, ifKept } = params as Params<'posts.keepEdits'>;
      if (ifKept !== (edits?.savedAt ?? null)) throw new PorchlightError('conflict', 'Other edits.');
      edited += 1;
      edits = next && { ...next, savedAt: `edit ${edited}` };
      if (losesReply) throw new PorchlightError('unreachable', 'The connection was lost.');
      return { savedAt: edits?.savedAt ?? null };
    }
    if (deletedAt !== null) throw new PorchlightError('invalid_request', 'The post is deleted.');
    const { ifVersion, ifKept, ...text } = params as Params<'posts.update'>;
    if (ifVersion !== undefined && ifVersion !== String(version))
      throw new PorchlightError('conflict', 'This post has changed.');
    if (ifKept !== undefined && edits !== null && ifKept !== edits.savedAt)
      throw new PorchlightError('conflict', 'Other edits.');
    if (text.slug === 'taken') throw new PorchlightError('slug_taken', 'Taken.');
    post = { ...base, ...text };
    edits = null;
    version += 1;
    if (losesReply) throw new PorchlightError('unreachable', 'The connection was lost.');
    return { ...item(), version: String(version) };
  }

  const call = <M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>> => {
    const text = 'text' in params ? { text: String(params.text) } : {};
    calls.push({ method, ...text });
    return Promise.resolve().then(() => reply(method, params) as Result<M>);
  };
  return {
    call,
    calls,
    text: () => post?.text,
    edits: () => edits?.post.text,
    count: (method: MethodName) => calls.filter((one) => one.method === method).length,
    set(part: { failure?: Error | null; losesReply?: boolean; deletedAt?: string | null }) {
      if (part.failure !== undefined) failure = part.failure;
      if (part.losesReply !== undefined) losesReply = part.losesReply;
      if (part.deletedAt !== undefined) deletedAt = part.deletedAt;
    },
  };
}

/** A window that writes on the server's post. */
function writer({ call }: ReturnType<typeof server>, opened?: OpenedPost) {
  const { post = null, edits = null } = opened ?? {};
  let form = { ...emptyForm('note'), text: (edits?.post ?? post?.text)?.text ?? '' };
  let refused: string | null = null;
  const saving = new PostSaving({
    call,
    post,
    edits: edits?.post ?? null,
    onChange: () => undefined,
    read: (now) => (now?.status === 'published' ? textOf(form, 'published') : draftOf(form, refused)),
    onSlugTaken: () => {
      refused = form.slug;
    },
  });
  return {
    saving,
    type: (text: string, slug = '') => {
      form = { ...form, text, slug };
      saving.touch();
    },
  };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the text of a new post', () => {
  test('becomes a draft at the first pause, and is then saved to that draft', async () => {
    const here = server();
    const { type, saving } = writer(here);
    type('One');
    await pass(900);
    expect(here.calls).toEqual([]);
    await pass(200);
    expect(here.text()).toBe('One');
    expect(saving.state().name).toBe('saved');
    type('One two');
    await pass(1100);
    expect(here.text()).toBe('One two');
    expect(here.count('posts.create')).toBe(1);
    expect(here.count('posts.update')).toBe(1);
  });

  test('is saved at least every five seconds while the owner types without a pause', async () => {
    const here = server();
    const { type } = writer(here);
    for (let letter = 1; letter <= 11; letter += 1) {
      type('x'.repeat(letter));
      await pass(500);
    }
    expect(here.text()?.length).toBeGreaterThanOrEqual(9);
  });

  test('is not saved while it is empty', async () => {
    const here = server();
    const { type, saving } = writer(here);
    type('   ');
    await pass(5000);
    expect(here.calls).toEqual([]);
    expect(saving.isDirty()).toBe(false);
  });

  test('is kept and tried again after a failure', async () => {
    const here = server();
    here.set({ failure: new PorchlightError('storage_full', 'The disk is full.') });
    const { type, saving } = writer(here);
    type('Kept');
    await pass(1100);
    expect(saving.state()).toEqual({ name: 'failed', reason: 'The disk is full.', retries: true });
    here.set({ failure: null });
    await pass(2100);
    expect(here.text()).toBe('Kept');
  });

  test('is saved without an address that another post has', async () => {
    const here = server();
    const { type, saving } = writer(here);
    type('Words', 'taken');
    await pass(1100);
    expect(here.text()).toBe('Words');
    expect(saving.state().name).toBe('saved');
  });

  test('counts as saved again after a refusal that leaves nothing to save', async () => {
    const { type, saving } = writer(server());
    type('Words');
    await pass(1100);
    const saved = saving.state();
    type('Words', 'taken');
    expect(saving.state().name).toBe('waiting');
    await expect(saving.send({ ...base, text: 'Words', slug: 'taken' })).rejects.toThrow('Taken.');
    saving.touch();
    expect(saving.state()).toEqual(saved);
  });

  test('counts as saved again when the owner takes a change back', async () => {
    const { type, saving } = writer(server());
    type('Words');
    await pass(1100);
    const saved = saving.state();
    type('Words, more');
    type('Words');
    expect(saving.state()).toEqual(saved);
  });
});

describe('two windows on one draft', () => {
  async function twoWindows() {
    const here = server();
    const first = writer(here);
    first.type('Start');
    await pass(1100);
    const second = writer(here, await openPost(here.call, url));
    return { here, first, second };
  }

  test('the later save finds both versions and changes nothing', async () => {
    const { here, first, second } = await twoWindows();
    first.type('Start of the first');
    await pass(1100);
    second.type('Start of the second');
    await pass(1100);
    const state = second.saving.state();
    expect(state.name).toBe('conflict');
    expect(state.name === 'conflict' && state.other.text.text).toBe('Start of the first');
    expect(here.text()).toBe('Start of the first');
    second.type('Start of the second, longer');
    await pass(10_000);
    expect(here.text()).toBe('Start of the first');
  });

  test('a save whose reply was lost is no conflict', async () => {
    const { here, first } = await twoWindows();
    here.set({ losesReply: true });
    first.type('Lost reply');
    await pass(1100);
    expect(first.saving.state().name).toBe('failed');
    here.set({ losesReply: false });
    await pass(2100);
    first.type('Lost reply, and on');
    await pass(1100);
    expect(first.saving.state().name).toBe('saved');
    expect(here.text()).toBe('Lost reply, and on');
  });
});

test('the edits of a published post are kept beside it, and the post stays unchanged', async () => {
  const here = server();
  const { saving, type } = writer(here);
  type('Published');
  await pass(1100);
  await saving.send({ ...base, text: 'Published', status: 'published' });
  type('Edited');
  await pass(1100);
  expect(here.count('posts.keepEdits')).toBe(1);
  expect(here.text()).toBe('Published');
});

describe('two windows on one published post', () => {
  async function twoWindows() {
    const here = server();
    const first = writer(here);
    await first.saving.send({ ...base, text: 'Published', status: 'published' });
    const second = writer(here, await openPost(here.call, url));
    first.type('Edits of the first');
    await pass(1100);
    return { here, first, second };
  }

  test('the later edits replace nothing, and the owner sees both', async () => {
    const { here, first, second } = await twoWindows();
    second.type('Edits of the second');
    await pass(10_000);
    expect(second.saving.state()).toMatchObject({
      name: 'conflict',
      edits: { text: 'Edits of the first' },
      other: { text: { text: 'Published' } },
    });
    expect(here.edits()).toBe('Edits of the first');
    first.type('Edits of the first, longer');
    await pass(1100);
    expect(here.edits()).toBe('Edits of the first, longer');
  });

  test('an update finds the edits of the other window first', async () => {
    const { here, second } = await twoWindows();
    second.type('Edits of the second');
    expect(await second.saving.send({ ...base, text: 'Edits of the second', status: 'published' })).toBe(
      undefined,
    );
    expect(second.saving.state().name).toBe('conflict');
    expect(here.text()).toBe('Published');
    expect(here.edits()).toBe('Edits of the first');
  });

  test('an update of edits that are saved finds later edits of the other window, which opened them', async () => {
    const { here, first } = await twoWindows();
    const third = writer(here, await openPost(here.call, url));
    third.type('Edits of the first, and more in another window');
    await pass(1100);
    await third.saving.stop();
    expect(await first.saving.send({ ...base, text: 'Edits of the first', status: 'published' })).toBe(
      undefined,
    );
    expect(first.saving.state()).toMatchObject({
      name: 'conflict',
      edits: { text: 'Edits of the first, and more in another window' },
    });
    expect(here.text()).toBe('Published');
    expect(here.edits()).toBe('Edits of the first, and more in another window');
  });

  test('edits that an update discarded come up as a conflict in the window that holds them', async () => {
    const { here, first } = await twoWindows();
    const second = writer(here, await openPost(here.call, url));
    await second.saving.send({ ...base, text: 'Updated', status: 'published' });
    first.type('Edits of the first, longer');
    await pass(1100);
    expect(first.saving.state()).toMatchObject({ name: 'conflict', edits: null });
    expect(here.text()).toBe('Updated');
  });

  test('edits whose reply was lost are no conflict', async () => {
    const { here, first } = await twoWindows();
    here.set({ losesReply: true });
    first.type('Lost reply');
    await pass(1100);
    here.set({ losesReply: false });
    await pass(2100);
    expect(first.saving.state().name).toBe('saved');
    expect(here.edits()).toBe('Lost reply');
  });
});

test('a post that was deleted elsewhere is reported, and keeps the text', async () => {
  const here = server();
  const { saving, type } = writer(here);
  type('Here');
  await pass(1100);
  here.set({ deletedAt: '2026-11-22T12:00:00Z' });
  type('Here, and more');
  await pass(1100);
  expect(saving.state()).toEqual({ name: 'gone', canRestore: true });
  expect(saving.isDirty()).toBe(true);
});
