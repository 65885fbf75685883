import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;
beforeAll(async () => void (scene = await openScene()));
afterAll(() => scene.close());

const call = (name: string, input: object) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name, arguments: input },
});

test('a program on this computer gets the lists at once, and everything else once the owner approves', async () => {
  const { porchlight } = scene;
  const open = () => porchlight.call('assistants.open', { name: 'Zed' });
  await expect(open()).rejects.toMatchObject({ code: 'not_allowed' });
  await porchlight.call('settings.update', { assistants: { on: true } });
  const { id } = await open();
  const send = async (message: object) =>
    (await porchlight.call('assistants.message', { id, message })).answer;
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'zed', version: '1' },
  };
  expect(await send({ jsonrpc: '2.0', id: 1, method: 'initialize', params })).toMatchObject({
    result: { serverInfo: { name: 'porchlight' } },
  });
  expect(await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).toBeNull();
  expect(await send({ jsonrpc: '2.0', id: 2, method: 'tools/list' })).toMatchObject({
    result: { tools: expect.arrayContaining([expect.objectContaining({ name: 'write_draft' })]) as unknown },
  });
  const [signIn] = await porchlight.call('signIns.list', {});
  expect(signIn).toMatchObject({
    clientName: 'Zed',
    assistant: true,
    scopes: ['draft', 'media', 'read_mentions'],
  });
  const refused = { id: 7, result: { isError: true } };
  const early = await send(call('write_draft', { text: 'Too early' }));
  expect(early).toMatchObject(refused);
  expect(JSON.stringify(early)).toContain(signIn?.matchCode);
  await porchlight.call('signIns.approve', { id: signIn?.id ?? '', scopes: ['draft'] });
  await expect
    .poll(() => send(call('write_draft', { text: 'A draft' })))
    .toMatchObject({ result: { structuredContent: { status: 'draft' } } });
  expect(await send(call('list_mentions', {}))).toMatchObject({ id: 7, error: { code: -32603 } });
  const drafts = (await porchlight.call('posts.list', { status: 'draft' })).items;
  expect(drafts).toMatchObject([{ summary: 'A draft', createdBy: 'Zed' }]);
  const [app] = await porchlight.call('apps.list', {});
  await porchlight.call('apps.revoke', { id: app?.id ?? '' });
  expect(await send(call('write_draft', { text: 'Too late' }))).toMatchObject(refused);
  await porchlight.call('assistants.close', { id });
  await expect(send(call('post_counts', {}))).rejects.toMatchObject({ code: 'not_found' });
});

test('a denied program can do nothing', async () => {
  const { porchlight } = scene;
  const { id } = await porchlight.call('assistants.open', { name: 'Other' });
  const [signIn] = await porchlight.call('signIns.list', {});
  await porchlight.call('signIns.deny', { id: signIn?.id ?? '' });
  const { answer } = await porchlight.call('assistants.message', { id, message: call('post_counts', {}) });
  expect(answer).toMatchObject({ result: { isError: true } });
});

test('what an ended program was allowed ends once the next one asks', async () => {
  const { porchlight } = scene;
  const isHere = async () => (await porchlight.call('apps.list', {})).map(({ clientName }) => clientName);
  const start = async (name: string) => {
    const { id } = await porchlight.call('assistants.open', { name });
    const signIn = (await porchlight.call('signIns.list', {})).find(({ clientName }) => clientName === name);
    await porchlight.call('signIns.approve', { id: signIn?.id ?? '', scopes: ['draft'] });
    await expect.poll(isHere).toContain(name);
    return id;
  };
  const first = await start('First');
  await start('Second');
  expect(await isHere()).toContain('First');
  await porchlight.call('assistants.close', { id: first });
  await porchlight.call('assistants.open', { name: 'Third' });
  await expect.poll(isHere).toEqual(['Second']);
  const [draft] = (await porchlight.call('posts.list', { status: 'draft' })).items;
  expect(draft).toMatchObject({ summary: 'A draft', createdBy: 'Second' });
});
