import { describe, expect, test } from 'vitest';
import { expectReady, failureOf, openedCloudflare, setUpCloudflare } from '../../support/cloudflare-setup.ts';

describe('the mailbox', () => {
  test('is added later, gets new keys, and is removed alone', async () => {
    const scene = await openedCloudflare();
    const run = await scene.start();
    await setUpCloudflare(scene, run, { mailbox: false, keepToken: true });
    expect(run.mailboxExists()).toBe(false);
    await run.uploadMailbox();
    expect(run.mailboxExists()).toBe(true);
    expectReady(scene, run);
    expect(await run.isMailboxRouted()).toBe(true);
    scene.keys = { ...scene.keys, proofKey: 'new-proof-key' };
    await run.uploadMailbox();
    expectReady(scene, run);
    expect(scene.fake.scripts[0]?.bindings).toContainEqual({
      type: 'secret_text',
      name: 'PROOF_KEY',
      text: 'new-proof-key',
    });
    expect(await run.secrets.get('mailbox-keys')).toContain('new-proof-key');
    await run.removeMailbox();
    expect(run.mailboxExists()).toBe(false);
    expect(await run.secrets.get('mailbox-keys')).toBeNull();
    expect(scene.fake.contents().map((one) => one.split(' ')[0])).toEqual(['tunnel', 'CNAME']);
    expect(run.progress.at(-1)?.task).toBe('mailbox');
  });

  test('is changed without touching the tunnel, which may have been replaced in the meantime', async () => {
    const scene = await openedCloudflare();
    const run = await scene.start();
    await setUpCloudflare(scene, run, { mailbox: false, keepToken: true });
    await run.settings.update({ tunnel: { mode: 'named', hostname: 'mine.test' } });
    await run.secrets.set('tunnel-token', 'mine');
    const before = run.events.length;
    await run.uploadMailbox();
    await run.uploadMailbox();
    await run.removeMailbox();
    expect(run.events.slice(before)).toEqual(['mailbox on', 'mailbox on', 'mailbox off']);
    expect(run.settings.get().tunnel).toMatchObject({ mode: 'named', hostname: 'mine.test' });
    expect(await run.secrets.get('tunnel-token')).toBe('mine');
  });

  test('keeps its keys if the token isn’t valid, or if another task is unfinished', async () => {
    const scene = await openedCloudflare();
    const run = await scene.start();
    await setUpCloudflare(scene, run, { keepToken: true });
    let prepared = 0;
    const prepare = () => Promise.resolve(void (prepared += 1));
    expect((await failureOf(run.uploadMailbox('mistyped', prepare))).code).toBe('cloudflare_token');
    expectReady(scene, run);
    scene.fake.trouble({ on: /^PUT .*scripts/, answer: { status: 403, code: 10000 } });
    await failureOf(run.uploadMailbox());
    expect((await failureOf(run.uploadMailbox(undefined, prepare))).message).toContain('Finish the setup');
    expect(prepared).toBe(0);
  });

  test('needs a token, and an address', async () => {
    const scene = await openedCloudflare();
    const run = await scene.start();
    expect((await failureOf(run.uploadMailbox(scene.fake.token))).code).toBe('cloudflare_failed');
    await setUpCloudflare(scene, run, { mailbox: false });
    expect((await failureOf(run.uploadMailbox())).code).toBe('cloudflare_token_needed');
    await run.uploadMailbox(scene.fake.token);
    expectReady(scene, run);
  });
});
