import { expect, test } from 'vitest';
import { edgeScene } from '../../support/edge-scene.ts';
import { startMailbox } from '../../support/edge-runtime.ts';

test('if the mailbox fails, visitors get what the origin says', async () => {
  const scene = await edgeScene();
  // Every use of the mailbox fails: its class is not there.
  const failing = await startMailbox({ ...scene.options, failing: true });
  try {
    const get = (path: string) => fetch(`${failing.url}${path}`);
    expect(await (await get('/one')).text()).toBe('hello /one');
    scene.behave('broken');
    const response = await get('/two');
    expect([response.status, await response.text()]).toEqual([502, 'bad gateway']);
    scene.behave('dead');
    expect((await get('/three')).status).toBe(503);
    scene.behave('answering');
    expect(await (await get('/four')).text()).toBe('hello /four');
  } finally {
    await failing.stop();
    await scene.stop();
  }
});
