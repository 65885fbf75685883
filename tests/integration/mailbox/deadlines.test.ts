import { request } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { edgeScene } from '../../support/edge-scene.ts';

// The deadlines that a test sets to a short time are the only ones that can pass within it.
vi.setConfig({ testTimeout: 25_000 });

/** A Worker with some short deadlines, in ms. The server answers the state of a sign-in once `release` is called. */
async function sceneWith(numbers: Record<string, number>) {
  const scene = await edgeScene({ numbers });
  onTestFinished(() => scene.stop());
  const held: (() => void)[] = [];
  scene.answerWith((asked, response) => {
    asked.resume();
    asked.on('end', () => {
      if (asked.url?.startsWith('/auth/requests/') === true) held.push(() => response.end('allowed'));
      else response.end(`hello ${asked.method ?? ''}`);
    });
  });
  return { ...scene, release: () => held.splice(0).forEach((go) => go()), held };
}
const poll = '/auth/requests/abc/state';

test('a visitor whose request the server doesn’t answer gets an error, and the server does not count as away', async () => {
  const scene = await sceneWith({ reading: 100, longestWait: 100 });
  expect((await scene.get('/hangs')).status).toBe(504);
  expect((await scene.client.call('state', {})).state).toBe('awake');
});

test('a form that may be kept waits only as long as a reader, because its sender may soon hang up', async () => {
  const scene = await sceneWith({ reading: 100, pingPatience: 100 });
  scene.behave('hanging');
  const mention = { source: 'https://sender.test/', target: 'https://home.test/post' };
  expect((await scene.post('/webmention', mention)).status).toBe(202);
  expect(await scene.client.call('state', {})).toMatchObject({ state: 'asleep', kept: 1 });
});

test('an app that sends something doesn’t wait forever', async () => {
  const scene = await sceneWith({ other: 100, longestWait: 100 });
  expect((await scene.post('/hangs', { a: 'b' })).status).toBe(504);
  expect((await scene.client.call('state', {})).state).toBe('awake');
});

test('a sign-in that waits for the owner has a longer deadline than a public page', async () => {
  const scene = await sceneWith({ reading: 50, longestWait: 50 });
  const waiting = scene.get(poll);
  await expect.poll(() => scene.held.length).toBe(1);
  // A reader's deadline passes twice in the meantime.
  for (const path of ['/hangs', '/hangs']) expect((await scene.get(path)).status).toBe(504);
  scene.release();
  expect([(await waiting).status, await (await waiting).text()]).toEqual([200, 'allowed']);
});

test('a sign-in doesn’t wait forever either', async () => {
  const scene = await sceneWith({ longPoll: 100, longestWait: 100 });
  expect((await scene.get(poll)).status).toBe(504);
});

test('the time that an upload takes is the visitor’s, not the server’s', async () => {
  const scene = await sceneWith({ other: 1500, longestWait: 50 });
  let status: number | undefined;
  const sending = request(
    `${scene.url}/media`,
    { method: 'POST', headers: { 'content-length': '2' } },
    (response) => {
      response.resume();
      status = response.statusCode;
    },
  );
  sending.write('a');
  await expect.poll(() => scene.requests.some(({ url }) => url === '/media')).toBe(true);
  for (const path of ['/hangs', '/hangs']) expect((await scene.post(path, {})).status).toBe(504);
  expect(status).toBeUndefined();
  sending.end('b');
  await expect.poll(() => status, { timeout: 20_000 }).toBe(200);
});
