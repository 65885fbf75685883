import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { promptWords } from '../../../src-main/desktop/dialog-words.ts';
import { openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
  await scene.porchlight.call('settings.update', { assistants: { on: true } });
});
afterAll(() => scene.close());

/** Lets an app ask for scopes, and returns what the owner sees. */
async function asked(scope: string, more: Record<string, string> = {}) {
  const waiting = await scene.ask(scene.request({ scope, ...more }));
  const signIn = (await scene.porchlight.call('signIns.list', {})).find(({ id }) => id === waiting.id);
  if (!signIn) throw new Error('The sign-in does not wait.');
  return { waiting, signIn };
}

const approve = (id: string, scopes: string[], both?: boolean) =>
  scene.porchlight.call('signIns.approve', { id, scopes, ...(both !== undefined && { both }) });

describe('reading mentions together with publishing', () => {
  test.each(['create', 'post', 'update'])('with %s is only given with the window’s tick', async (scope) => {
    const { signIn } = await asked(`read_mentions ${scope}`);
    expect(promptWords(signIn).answers).toEqual(['deny', 'review']);
    await expect(approve(signIn.id, signIn.scopes)).rejects.toMatchObject({ code: 'needs_review' });
    await expect(approve(signIn.id, signIn.scopes, false)).rejects.toMatchObject({ code: 'needs_review' });
    expect(await approve(signIn.id, signIn.scopes, true)).toMatchObject({ outcome: 'approved' });
    await scene.porchlight.call('signIns.undo', { id: signIn.id });
  });

  test('either one alone needs no tick', async () => {
    const { signIn } = await asked('read_mentions create');
    expect(await approve(signIn.id, ['read_mentions'])).toMatchObject({ outcome: 'approved' });
    await scene.porchlight.call('signIns.undo', { id: signIn.id });
  });

  test('counts what was approved for the same app, before it uses that', async () => {
    const needsReview = { code: 'needs_review' };
    const first = await asked('create');
    await approve(first.signIn.id, ['create']);
    const second = await asked('read_mentions');
    expect(second.signIn).toMatchObject({ held: ['create'], needsReview: true });
    await expect(approve(second.signIn.id, ['read_mentions'])).rejects.toMatchObject(needsReview);
    // Nor while its browser has the code.
    await scene.wayBack(first.waiting);
    await expect(approve(second.signIn.id, ['read_mentions'])).rejects.toMatchObject(needsReview);
    await scene.porchlight.call('signIns.undo', { id: first.signIn.id });
    expect(await approve(second.signIn.id, ['read_mentions'])).toMatchObject({ outcome: 'approved' });
    await scene.porchlight.call('signIns.undo', { id: second.signIn.id });
  });

  test('counts what the same app already holds', async () => {
    await scene.tokens(scene.request({ scope: 'create' }));
    const { signIn } = await asked('read_mentions');
    expect(signIn.needsReview).toBe(true);
    await expect(approve(signIn.id, ['read_mentions'])).rejects.toMatchObject({ code: 'needs_review' });
    await scene.porchlight.call('signIns.deny', { id: signIn.id });
  });

  test('no token by hand has both', async () => {
    const scopes = ['read_mentions', 'create'];
    await expect(scene.porchlight.call('apps.issueToken', { label: 'x', scopes })).rejects.toMatchObject({
      code: 'needs_review',
    });
  });
});

test('an assistant that asks to publish is reviewed, and offline_access is shown nowhere', async () => {
  const resource = `${scene.porchlight.base}/mcp`;
  const { signIn } = await asked('draft create offline_access', { resource });
  expect(signIn).toMatchObject({ assistant: true, needsReview: true, scopes: ['draft', 'create'] });
  expect(signIn.permissions.map(({ words }) => words)).toEqual([
    'See your public posts, write drafts, and change the drafts that it wrote',
    'Publish posts',
  ]);
  const usual = await asked('draft offline_access', { resource });
  expect(usual.signIn).toMatchObject({ assistant: true, scopes: ['draft'] });
  expect(usual.signIn).not.toHaveProperty('needsReview');
});

test('a token by hand for an assistant counts at /mcp only, and exists only while assistants are on', async () => {
  const { porchlight } = scene;
  const issue = (label: string, more = {}) =>
    porchlight.call('apps.issueToken', { label, scopes: ['draft'], ...more });
  const status = async (path: string, token: string, method: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = method === 'POST' ? JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) : null;
    return (await fetch(`${porchlight.base}${path}`, { method, headers, body })).status;
  };
  const ours = await issue('Assistant', { assistant: true });
  const usual = await issue('Script');
  for (const [token, expected] of [
    [ours.token, [200, 401]],
    [usual.token, [401, 200]],
  ] as const)
    expect([await status('/mcp', token, 'POST'), await status('/micropub?q=config', token, 'GET')]).toEqual(
      expected,
    );
  const apps = await porchlight.call('apps.list', {});
  expect(apps.find(({ id }) => id === ours.id)?.permissions).toEqual([
    {
      scope: 'draft',
      words: 'See your public posts, write drafts, and change the drafts that it wrote',
    },
  ]);
  await porchlight.call('settings.update', { assistants: { on: false } });
  await expect(issue('Late', { assistant: true })).rejects.toMatchObject({ code: 'not_allowed' });
  await porchlight.call('settings.update', { assistants: { on: true } });
});
