import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test, vi, type TestContext } from 'vitest';
import { checkFolder } from '../../../src-main/app/check.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';

/** A house on a disk of its own, with a post in it and a token to post with. */
async function houseOnSmallDisk(context: TestContext) {
  const disk = await mountSmallDisk(context, '24m');
  onTestFinished(() => disk.remove());
  const house = await startPorchlight({ dataDir: disk.dir });
  onTestFinished(() => house.stop());
  const { token } = await house.call('apps.issueToken', {
    label: 'Pen',
    scopes: ['create', 'update', 'delete', 'undelete', 'media'],
  });
  const first = await micropub(house, token, { type: ['h-entry'], properties: { content: ['The first'] } });
  return { disk, house, token, url: first.headers.get('location') ?? '' };
}

function micropub({ base }: Porchlight, token: string, body: unknown): Promise<Response> {
  return fetch(`${base}/micropub`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

function upload({ base }: Porchlight, token: string): Promise<Response> {
  const form = new FormData();
  form.set('file', new File(['x'.repeat(200_000)], 'a.txt', { type: 'text/plain' }));
  return fetch(`${base}/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  });
}

function mention({ base }: Porchlight, target: string): Promise<Response> {
  const body = new URLSearchParams({ source: 'http://127.0.0.1:9/reply', target });
  return fetch(`${base}/webmention`, { method: 'POST', body });
}

/** Everything that wants to write, each once. */
function writes(house: Porchlight, token: string, url: string): Record<string, () => Promise<Response>> {
  return {
    create: () =>
      micropub(house, token, { type: ['h-entry'], properties: { content: ['x'.repeat(60_000)] } }),
    update: () =>
      micropub(house, token, { action: 'update', url, replace: { content: ['x'.repeat(60_000)] } }),
    upload: () => upload(house, token),
    mention: () => mention(house, url),
  };
}

async function expectWorking(house: Porchlight, token: string, url: string): Promise<void> {
  expect((await mention(house, url)).status).toBe(201);
  const created = await micropub(house, token, { type: ['h-entry'], properties: { content: ['Again'] } });
  expect(created.status).toBe(201);
  expect((await upload(house, token)).status).toBe(201);
  expect((await micropub(house, token, { action: 'delete', url })).status).toBe(204);
  expect((await micropub(house, token, { action: 'undelete', url })).status).toBe(204);
  await house.call('settings.update', { profile: { name: 'Written again' } });
}

describe('a disk that fills', () => {
  test('refuses each write with 507 and a message, answers reads, and accepts writes again once there is room', async (context) => {
    const { disk, house, token, url } = await houseOnSmallDisk(context);
    await disk.fill();
    for (const [name, write] of Object.entries(writes(house, token, url))) {
      const answer = await write();
      expect(answer.status, name).toBe(507);
      expect(await answer.json(), name).toEqual({
        error: 'insufficient_storage',
        error_description: expect.stringContaining('disk is full') as string,
      });
    }
    await expect(house.call('settings.update', { profile: { name: 'x'.repeat(400) } })).rejects.toMatchObject(
      {
        code: 'storage_full',
        message: expect.stringContaining('Free some space') as string,
      },
    );

    expect(await (await fetch(url)).text()).toContain('The first');
    expect((await house.call('posts.list', {})).items).toHaveLength(1);
    expect((await house.call('status.get', {})).problems).toMatchObject([{ code: 'storage_full' }]);
    // Porchlight can be turned off and on: what happened did happen, though nobody can write it down.
    expect(await house.call('server.turnOff', {})).toMatchObject({ server: 'off' });
    expect(await house.call('server.turnOn', {})).toMatchObject({ server: 'on' });

    await disk.free();
    await expectWorking(house, token, url);
    await vi.waitFor(async () => expect((await house.call('status.get', {})).problems).toEqual([]), 20_000);
    const { items } = await house.call('activity.list', { area: 'server' });
    expect(items.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['server.off', 'server.on']));
    await house.stop();
    expect((await checkFolder(disk.dir)).problems).toEqual([]);
  });

  test('that becomes read-only refuses writes with another message, and accepts them again later', async (context) => {
    const { disk, house, token, url } = await houseOnSmallDisk(context);
    await disk.setWritable(false);
    // The database was open before, so posts and mentions can still be stored, and are on disk.
    const { upload: refused, ...stored } = writes(house, token, url);
    for (const [name, write] of Object.entries(stored)) expect((await write()).ok, name).toBe(true);
    const answer = await refused?.();
    expect(answer?.status).toBe(507);
    expect(await answer?.json()).toEqual({
      error: 'insufficient_storage',
      error_description: expect.stringContaining('cannot write to its disk') as string,
    });
    expect((await fetch(url)).status).toBe(200);
    // The day's copy of the database may fail too.
    const { problems } = await house.call('status.get', {});
    expect(problems.map(({ code }) => code)).toContain('storage_unwritable');
    await disk.setWritable(true);
    await expectWorking(house, token, url);
    await house.stop();
    expect((await checkFolder(disk.dir)).problems).toEqual([]);
  });

  test('at the start, an empty folder that cannot be written to is named with advice', async (context) => {
    const disk = await mountSmallDisk(context, '1m');
    onTestFinished(() => disk.remove());
    await disk.setWritable(false);
    await expect(startPorchlight({ dataDir: disk.dir })).rejects.toMatchObject({
      code: 'storage_unwritable',
      message: expect.stringMatching(/could not be saved \(EROFS\)\. Check that the disk/) as string,
    });
  });
});

describe('a port that is taken', () => {
  async function takenPort() {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    return (other.address() as { port: number }).port;
  }

  test('is reported with the name of the program that uses it, and another port is used and kept', async ({
    skip,
  }) => {
    if (process.platform !== 'linux') skip('the name is asked of /proc here');
    const port = await takenPort();
    const first = await startPorchlight({ port });
    expect((await first.call('status.get', {})).words).toMatch(
      new RegExp(
        `^Not reachable: Port ${port} is taken by (?!another program).+\\. Close it, or let Porchlight use another port`,
      ),
    );
    const status = await first.call('server.usePort', { port: 0 });
    expect(status).toMatchObject({ server: 'on', port: expect.any(Number) as number });
    expect((await fetch(`http://127.0.0.1:${status.port}/`)).status).toBe(200);
    await first.stop();

    const second = await startPorchlight({ dataDir: first.dataDir, port, me: undefined });
    expect(await second.call('status.get', {})).toMatchObject({ server: 'on', port: status.port });
    await second.stop();
    const asked = await startPorchlight({ dataDir: first.dataDir, port, portGiven: true, me: undefined });
    expect(await asked.call('status.get', {})).toMatchObject({ server: 'trouble' });
    await asked.remove();
  });

  test('is not kept if that one is taken too', async () => {
    const port = await takenPort();
    const house = await startPorchlight();
    expect(await house.call('server.usePort', { port })).toMatchObject({ server: 'trouble', port: null });
    await house.stop();
    const again = await startPorchlight({ dataDir: house.dataDir });
    expect(await again.call('status.get', {})).toMatchObject({ server: 'on' });
    await again.remove();
  });
});
