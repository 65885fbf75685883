import { events } from '../../../src-main/contract/contract.ts';
import { isValid } from '../../../src-main/storage/schema-check.ts';
import { describe, expect, test } from 'vitest';
import type { PorchlightError } from '../../../src-main/contract/error.ts';
import {
  expectReady,
  failureOf,
  openedCloudflare,
  setUpCloudflare,
  setupOf,
} from '../../support/cloudflare-setup.ts';

describe('a setup', () => {
  test('creates the tunnel, its record and the mailbox, and uses them', async () => {
    const scene = await openedCloudflare();
    const run = await scene.start();
    const offers = await run.handlers['cloudflare.connect']({ apiToken: scene.fake.token });
    expect(offers).toEqual({
      accounts: [scene.fake.account],
      zones: [
        { id: scene.fake.zone.id, name: 'example.com', accountId: scene.fake.account.id, active: true },
      ],
    });
    const { zoneId } = setupOf(scene);
    expect(await run.handlers['cloudflare.checkName']({ zoneId, hostname: 'Porch.example.com' })).toEqual({
      available: true,
      words: 'porch.example.com is free.',
    });
    const status = await run.handlers['cloudflare.setUp'](setupOf(scene));
    expect(status.created.map(({ what }) => what)).toEqual(['tunnel', 'record', 'worker', 'route']);
    expectReady(scene, run);
    expect(scene.fake.scripts[0]).toMatchObject({
      module: 'export default { fetch() {} }',
      bindings: [
        { name: 'MAILBOX', class_name: 'Mailbox' },
        { type: 'secret_text', name: 'PROOF_KEY', text: 'proof-key' },
        { type: 'secret_text', name: 'CALL_KEY', text: 'call-key' },
        { type: 'plain_text', name: 'SEALING_KEY', text: 'sealing-key' },
      ],
    });
    expect(run.events).toEqual(['mailbox on', 'tunnel token', 'tunnel named']);
    for (const one of run.progress) expect(isValid(events['cloudflare.progress'], one)).toBe(true);
    expect(run.progress.map(({ done, total }) => [done, total])).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map((at) => [at, 7]),
    );
    expect(run.recorded).toEqual(['cloudflare.ready']);
  });

  test('works with a token that belongs to the account', async () => {
    const scene = await openedCloudflare();
    scene.fake.tokenOwner = 'account';
    const run = await scene.start();
    await setUpCloudflare(scene, run);
    expectReady(scene, run);
    expect(await run.handlers['cloudflare.disconnect']({ apiToken: scene.fake.token })).toMatchObject({
      state: 'none',
    });
  });

  test('without a mailbox creates no Worker', async () => {
    const scene = await openedCloudflare();
    const run = await scene.start();
    expect(await setUpCloudflare(scene, run, { mailbox: false })).toMatchObject({
      state: 'ready',
      mailbox: false,
    });
    expect(scene.fake.contents().map((one) => one.split(' ')[0])).toEqual(['tunnel', 'CNAME']);
  });

  test('a setup discards the token afterwards, unless the owner keeps it', async () => {
    const scene = await openedCloudflare();
    const run = await scene.start();
    expect(await setUpCloudflare(scene, run)).toMatchObject({ tokenKept: false });
    expect(await run.secrets.get('cloudflare-token')).toBeNull();
    expect((await failureOf(run.handlers['cloudflare.setUp'](setupOf(scene)))).code).toBe(
      'cloudflare_token_needed',
    );
    expect(await setUpCloudflare(scene, run, { keepToken: true })).toMatchObject({ tokenKept: true });
    const again = await scene.start();
    await again.start();
    expect(again.handlers['cloudflare.status']()).toMatchObject({ tokenKept: true });
    expect(await again.handlers['cloudflare.disconnect']({})).toMatchObject({ state: 'none' });
    expect(await again.secrets.get('cloudflare-token')).toBeNull();
  });

  test('is resumed by another one of the same name, and refuses a second name', async () => {
    const scene = await openedCloudflare();
    const run = await scene.start();
    await setUpCloudflare(scene, run);
    expect(
      (await failureOf(setUpCloudflare(scene, run, { hostname: 'other.example.com' }))).message,
    ).toContain('Remove it first');
    await setUpCloudflare(scene, run);
    expectReady(scene, run);
  });

  test('replaces a tunnel that the owner has deleted, and the record that led to it', async () => {
    const scene = await openedCloudflare();
    const run = await scene.start();
    await setUpCloudflare(scene, run);
    scene.fake.tunnels.length = 0;
    await setUpCloudflare(scene, run);
    expectReady(scene, run);
    await run.handlers['cloudflare.disconnect']({ apiToken: scene.fake.token });
    expect(scene.fake.contents()).toEqual([]);
  });

  test('takes one task at a time', async () => {
    const scene = await openedCloudflare();
    const run = await scene.start();
    let asked: Promise<PorchlightError> | undefined;
    scene.fake.onEffect = async (line) => {
      if (!line.endsWith('/configurations')) return;
      expect(run.handlers['cloudflare.status']().state).toBe('working');
      asked = failureOf(run.handlers['cloudflare.disconnect']({}));
      await asked;
    };
    await setUpCloudflare(scene, run);
    expect((await asked)?.code).toBe('busy');
    expectReady(scene, run);
  });

  test('says when the port has changed, and tells Cloudflare', async () => {
    const scene = await openedCloudflare();
    const run = await scene.start();
    await setUpCloudflare(scene, run);
    scene.port = 5000;
    expect(run.handlers['cloudflare.status']()).toMatchObject({ state: 'unfinished', task: 'setUp' });
    expect(run.handlers['cloudflare.status']().words).toContain('from 4180 to 5000');
    await run.handlers['cloudflare.resume']({ apiToken: scene.fake.token });
    expectReady(scene, run);
  });

  test('with a kept token follows the port by itself', async () => {
    const scene = await openedCloudflare();
    await setUpCloudflare(scene, await scene.start(), { keepToken: true });
    scene.port = 5000;
    const run = await scene.start();
    await run.start();
    expectReady(scene, run);
  });
});

describe('a name', () => {
  test.each([
    ['other.test', 'isn’t below example.com'],
    ['a.b.example.com', 'one level below example.com'],
    ['no name.example.com', 'isn’t a host name'],
    ['', 'isn’t below example.com'],
  ])('%j is refused', async (hostname, words) => {
    const scene = await openedCloudflare();
    const run = await scene.start();
    await run.handlers['cloudflare.connect']({ apiToken: scene.fake.token });
    const { zoneId } = setupOf(scene);
    const answer = await run.handlers['cloudflare.checkName']({ zoneId, hostname });
    expect(answer.available).toBe(false);
    expect(answer.words).toContain(words);
    expect((await failureOf(run.handlers['cloudflare.setUp'](setupOf(scene, { hostname })))).code).toBe(
      'invalid_request',
    );
    expect(run.handlers['cloudflare.status']().state).toBe('none');
  });

  test.each(['A', 'AAAA', 'CNAME', 'NS'])('with a foreign %s record stays unchanged', async (type) => {
    const scene = await openedCloudflare();
    scene.fake.addRecord({ type, name: 'porch.example.com', content: 'theirs' });
    const before = scene.fake.contents();
    const run = await scene.start();
    const error = await failureOf(setUpCloudflare(scene, run));
    expect([error.code, error.message]).toEqual([
      'cloudflare_name_taken',
      expect.stringContaining(`(${type})`),
    ]);
    // Nothing was created, so there is nothing to resume and no token to keep.
    expect(run.handlers['cloudflare.status']().state).toBe('none');
    expect(await run.secrets.get('cloudflare-token')).toBeNull();
    expect(scene.fake.contents()).toEqual(before);
    // The pasted token is still remembered, so that the owner can choose another name.
    const { zoneId } = setupOf(scene);
    const answer = await run.handlers['cloudflare.checkName']({ zoneId, hostname: 'porch.example.com' });
    expect([answer.available, answer.words]).toEqual([false, error.message]);
  });

  test.each(['porch.example.com/*', '*.example.com/*', '*example.com/blog*', 'https://porch.example.com/x'])(
    'that a foreign route covers (%s) is taken',
    async (pattern) => {
      const scene = await openedCloudflare();
      scene.fake.addRoute({ pattern, script: 'theirs' });
      const run = await scene.start();
      const error = await failureOf(setUpCloudflare(scene, run));
      expect([error.code, error.message]).toEqual([
        'cloudflare_name_taken',
        expect.stringContaining(pattern),
      ]);
      expect(scene.fake.contents()).toEqual([`route ${pattern} theirs`]);
    },
  );

  test('a name may be the domain itself, beside its records for mail', async () => {
    const scene = await openedCloudflare();
    scene.fake.addRecord({ type: 'MX', name: 'example.com', content: 'mail.example.net' });
    scene.fake.addRecord({ type: 'TXT', name: 'example.com', content: 'v=spf1 -all' });
    scene.fake.addRecord({ type: 'NS', name: 'example.com', content: 'ada.ns.cloudflare.com' });
    scene.fake.addRoute({ pattern: '*.example.com/*', script: 'theirs' });
    const before = scene.fake.contents();
    const run = await scene.start();
    const hostname = 'example.com';
    expect(await setUpCloudflare(scene, run, { hostname })).toMatchObject({ state: 'ready', hostname });
    expect(scene.fake.routes.map(({ pattern }) => pattern)).toEqual(['*.example.com/*', 'example.com/*']);
    await run.handlers['cloudflare.disconnect']({ apiToken: scene.fake.token });
    expect(scene.fake.contents()).toEqual(before);
    expect(scene.fake.problems).toEqual([]);
  });

  test.each(['A', 'AAAA', 'CNAME'])('that is the domain itself is taken by its %s record', async (type) => {
    const scene = await openedCloudflare();
    scene.fake.addRecord({ type, name: 'example.com', content: 'theirs' });
    const run = await scene.start();
    const error = await failureOf(setUpCloudflare(scene, run, { hostname: 'example.com' }));
    expect([error.code, error.message]).toEqual([
      'cloudflare_name_taken',
      expect.stringContaining(`(${type})`),
    ]);
    expect(scene.fake.contents()).toEqual([`${type} example.com theirs`]);
  });

  test('may have other records and routes of other names', async () => {
    const scene = await openedCloudflare();
    scene.fake.addRecord({ type: 'TXT', name: 'porch.example.com', content: 'hello' });
    scene.fake.addRoute({ pattern: 'example.com/*', script: 'theirs' });
    const run = await scene.start();
    expect(await setUpCloudflare(scene, run)).toMatchObject({ state: 'ready' });
    await run.handlers['cloudflare.disconnect']({ apiToken: scene.fake.token });
    expect(scene.fake.contents()).toEqual(['TXT porch.example.com hello', 'route example.com/* theirs']);
  });
});
