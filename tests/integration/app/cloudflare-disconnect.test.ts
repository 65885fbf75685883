import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createEventHub } from '../../../src-main/contract/contract.ts';
import { mailboxKeysName } from '../../../src-main/platform/secrets.ts';
import { openSettings } from '../../../src-main/app/settings.ts';
import { inBackground, silentLog as log } from '../../../src-main/platform/log.ts';
import { createGuardedFetch } from '../../../src-main/platform/guarded-fetch.ts';
import { openCloudflare } from '../../../src-main/app/cloudflare.ts';
import { documentsIn } from '../../../src-main/storage/document.ts';
import { fakeCloudflareApi } from '../../support/fake-cloudflare-api.ts';
import { mailboxPartScene } from '../../support/mailbox-part-scene.ts';

const hostname = 'porch.example.com';

/** The parts of the service for Cloudflare and its mailbox, after a setup. The mailbox keeps three mentions. */
async function scene() {
  const part = await mailboxPartScene();
  const fake = await fakeCloudflareApi();
  onTestFinished(() => fake.close());
  vi.stubEnv('PORCHLIGHT_CLOUDFLARE_API', fake.base);
  onTestFinished(() => void vi.unstubAllEnvs());
  const guarded = createGuardedFetch({ allowPrivate: true, userAgent: 'Test' });
  onTestFinished(() => guarded.close());

  const tunnel = fake.addTunnel('porchlight-0f1e2d3c');
  const record = { type: 'CNAME', name: hostname, content: `${tunnel.id}.cfargotunnel.com` };
  const script = 'porchlight-mailbox-0f1e2d3c';
  fake.scripts.push({
    name: script,
    module: '',
    bindings: [],
    compatibilityDate: '',
    migrationTag: 'v1',
    sqliteClasses: [],
  });
  const setup = {
    task: null,
    trouble: '',
    suffix: '0f1e2d3c',
    hostname,
    mailbox: true,
    keepToken: false,
    accountId: fake.account.id,
    zoneId: fake.zone.id,
    tokenStored: false,
    port: 4180,
    connected: true,
    tunnel: { name: tunnel.name, id: tunnel.id },
    record: { name: hostname, id: fake.addRecord(record).id },
    worker: { name: script, id: script },
    route: { name: `${hostname}/*`, id: fake.addRoute({ pattern: `${hostname}/*`, script }).id },
  };
  await writeFile(path.join(part.dataDir, 'cloudflare.json'), JSON.stringify({ format: 1, setup }));
  const documents = documentsIn(part.dataDir);
  const settings = await openSettings({ documents, allowLoopbackMe: true });
  await settings.update({ tunnel: { mode: 'named', hostname } });

  let received = 0;
  part.world.receive = () => Promise.resolve(((received += 1), 'new'));
  /** Opens both parts, as a start of the program does. */
  async function start() {
    const mailbox = await part.start();
    const cloudflare = await openCloudflare({
      documents,
      secrets: part.secrets,
      fetch: guarded,
      hub: createEventHub(),
      log,
      settings,
      mailbox,
      activity: { record: () => Promise.resolve() },
      background: inBackground(log),
      reaching: {
        listener: { port: 4180 },
        tunnelControl: {
          setToken: () => Promise.resolve(),
          // From now on, the address leads nowhere.
          follow: () => Promise.resolve(void (part.world.instead = () => ({ status: 530 }))),
        },
      },
      fixedBase: undefined,
    } as unknown as Parameters<typeof openCloudflare>[0]);
    onTestFinished(() => cloudflare.stop());
    return { mailbox, handlers: cloudflare.handlers };
  }
  const first = await start();
  await first.mailbox.edgeKeys();
  const keys = await part.keys();
  for (let one = 0; keys && one < 3; one += 1) await part.keep(keys);
  return { ...part, ...first, fake, apiToken: fake.token, received: () => received, start };
}

test('Disconnect fetches the mailbox’s items while the address still leads to the mailbox', async () => {
  const { handlers, apiToken, received, fake, keys } = await scene();
  expect(await handlers['cloudflare.disconnect']({ apiToken })).toMatchObject({ state: 'none' });
  expect(received()).toBe(3);
  expect(fake.contents()).toEqual([]);
  expect(await keys()).toBeNull();
});

describe('while the mailbox’s items cannot be fetched, Disconnect', () => {
  test('Disconnect deletes nothing in the mailbox before the owner agrees', async () => {
    const { handlers, apiToken, received, fake, world, effects } = await scene();
    world.instead = () => ({ status: 429, text: 'error code: 1027' });
    const before = fake.contents();
    await expect(handlers['cloudflare.disconnect']({ apiToken })).rejects.toMatchObject({
      code: 'mailbox_not_empty',
      message: expect.stringContaining('00:00 UTC') as string,
    });
    expect([fake.contents(), world.items.length, effects]).toEqual([before, 3, []]);
    expect(handlers['cloudflare.status']()).toMatchObject({ state: 'ready' });
    const end = await handlers['cloudflare.disconnect']({ apiToken, discardKept: true });
    expect([end.state, received(), fake.contents()]).toEqual(['none', 0, []]);
  });

  test('says how many items there is no room for, and fetches the others before it deletes these', async () => {
    const { handlers, apiToken, world } = await scene();
    world.receive = () => Promise.resolve('full');
    await expect(handlers['cloudflare.disconnect']({ apiToken })).rejects.toMatchObject({
      code: 'mailbox_not_empty',
      message: expect.stringContaining('keeps 3 things') as string,
    });
    let room = 2;
    world.receive = () => Promise.resolve((room -= 1) < 0 ? 'full' : 'new');
    const end = await handlers['cloudflare.disconnect']({ apiToken, discardKept: true });
    expect([end.state, world.items.length]).toEqual(['none', 1]);
  });

  test('is not resumed either', async () => {
    const { handlers, apiToken, fake, world } = await scene();
    fake.trouble({ on: /^GET .*routes/, answer: { status: 403, code: 10000 } });
    await expect(handlers['cloudflare.disconnect']({ apiToken })).rejects.toMatchObject({
      code: 'cloudflare_token',
    });
    fake.trouble();
    world.instead = () => ({ status: 530, text: 'error code: 1033' });
    await expect(handlers['cloudflare.resume']({ apiToken })).rejects.toMatchObject({
      code: 'mailbox_not_empty',
    });
    expect(fake.scripts).toHaveLength(1);
    expect(await handlers['cloudflare.resume']({ apiToken, discardKept: true })).toMatchObject({
      state: 'none',
    });
  });

  test('nor is the mailbox removed by a setup without one', async () => {
    const { handlers, apiToken, fake, world } = await scene();
    world.receive = () => Promise.resolve('full');
    await handlers['cloudflare.connect']({ apiToken });
    const requested = { accountId: fake.account.id, zoneId: fake.zone.id, hostname, mailbox: false };
    await expect(handlers['cloudflare.setUp'](requested)).rejects.toMatchObject({
      code: 'mailbox_not_empty',
    });
    expect([fake.scripts.length, world.items.length]).toEqual([1, 3]);
  });
});

test('Disconnect works although the mailbox’s keys are damaged', async () => {
  const { secrets, apiToken, start, fake, keys } = await scene();
  await secrets.set(mailboxKeysName, '{"damaged');
  const { mailbox, handlers } = await start();
  await mailbox.start();
  expect(await handlers['cloudflare.disconnect']({ apiToken })).toMatchObject({ state: 'none' });
  expect(fake.contents()).toEqual([]);
  expect(await keys()).toBeNull();
});

test('failures at Cloudflare are reported, also if the keys are damaged', async () => {
  const { secrets, apiToken, start, fake } = await scene();
  await secrets.set(mailboxKeysName, '{"damaged');
  const { mailbox, handlers } = await start();
  await mailbox.start();
  fake.trouble({ on: /^GET .*routes/, answer: { status: 403, code: 10000 } });
  await expect(handlers['cloudflare.disconnect']({ apiToken })).rejects.toMatchObject({
    code: 'cloudflare_token',
  });
});

test('a removal that is finished by Resume leaves no keys', async () => {
  const { handlers, apiToken, fake, keys, mailbox } = await scene();
  fake.trouble({ on: /^DELETE .*scripts/, answer: { status: 403, code: 10000 } });
  await expect(handlers['cloudflare.disconnect']({ apiToken })).rejects.toMatchObject({
    code: 'cloudflare_token',
  });
  expect(await keys()).not.toBeNull();
  fake.trouble();
  expect(await handlers['cloudflare.resume']({ apiToken })).toMatchObject({ state: 'none' });
  expect(await keys()).toBeNull();
  expect(mailbox.proofKeys()).toEqual([]);
});

test('until the Worker is deleted, responses are signed, so that it keeps no mention that would then be deleted', async () => {
  const { handlers, apiToken, fake, keys, mailbox, start } = await scene();
  fake.trouble({ on: /^DELETE .*scripts/, answer: { status: 403, code: 10000 } });
  await expect(handlers['cloudflare.disconnect']({ apiToken })).rejects.toMatchObject({
    code: 'cloudflare_token',
  });
  expect(fake.contents()).not.toContainEqual(expect.stringContaining('route'));
  const proofKey = (await keys())?.proofKey;
  expect(typeof proofKey).toBe('string');
  expect(mailbox.proofKeys()).toEqual([proofKey]);
  const next = await start();
  await next.mailbox.start();
  expect(next.mailbox.proofKeys()).toEqual([proofKey]);
});
