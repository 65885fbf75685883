import { expect, test } from 'vitest';
import { mailboxPath } from '../../../src-main/platform/mailbox-protocol.ts';
import { edgeClient } from '../../support/edge-client.ts';
import { edgeScene } from '../../support/edge-scene.ts';
import { startMailbox } from '../../support/edge-runtime.ts';

test('if the mailbox fails, visitors get the answer of the origin', async () => {
  const scene = await edgeScene();
  // Every use of the mailbox fails: its class is not there.
  const failing = await startMailbox({ ...scene.options, failing: 'over the limit' });
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

// What Cloudflare says over the free plan's limits of Durable Objects, and what it says about other failures.
test.each([
  ['Exceeded allowed rows written in Durable Objects free tier.', 503],
  ['Internal error in Durable Object storage caused object to be reset.', 500],
])('the server learns whether a limit of the plan is why a call failed: %s', async (failing, status) => {
  const scene = await edgeScene();
  const mailbox = await startMailbox({ ...scene.options, failing });
  try {
    const answer = await edgeClient(mailbox.url, scene.keys).send('state', '{}');
    const text = await answer.text();
    expect([answer.status, text.includes('over_limit')]).toEqual([status, status === 503]);
    // Nobody else learns it.
    expect((await fetch(`${mailbox.url}${mailboxPath}/state`, { method: 'POST' })).status).toBe(401);
  } finally {
    await mailbox.stop();
    await scene.stop();
  }
});
