import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { MailboxKeys } from '../../src-main/mailbox/keys.ts';
import { fakeCloudflareApi } from '../support/fake-cloudflare-api.ts';
import { freePort, startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { mentionSources, sendMention } from '../support/mailbox-scene.ts';
import { fakeCloudflared } from '../support/tunnel-scene.ts';
import { startUploadedWorker } from '../support/uploaded-worker.ts';

const patience = { timeout: 360_000, interval: 200 };
const hostname = 'porch.example.com';

/** The built program, which reaches the stand-in for Cloudflare's API. Its public address is that of the Worker. */
async function scene() {
  const home = await mkdtemp(path.join(tmpdir(), 'porchlight-cloudflare-mailbox-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const fake = await fakeCloudflareApi();
  onTestFinished(() => fake.close());
  await writeFile(path.join(home, 'ready'), '4');
  const [port, workerPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${workerPort}`;
  const dataDir = path.join(home, 'data');
  const secretsFile = path.join(dataDir, 'secrets.json');
  let house: HeadlessProcess | undefined;
  let worker: Awaited<ReturnType<typeof startUploadedWorker>> | undefined;
  onTestFinished(() => worker?.stop());
  onTestFinished(async () => {
    await house?.stop('SIGKILL');
  });
  return {
    fake,
    url,
    async start(): Promise<HeadlessProcess> {
      house = await startHeadless({
        dataDir,
        args: ['--base-url', url, '--me', `${url}/`, '--port', String(port), '--allow-private-fetch'],
        env: {
          PORCHLIGHT_CLOUDFLARE_API: fake.base,
          PORCHLIGHT_CLOUDFLARED: fakeCloudflared,
          FAKE_CLOUDFLARED: 'connect',
          FAKE_CLOUDFLARED_RECORD: path.join(home, 'starts'),
          FAKE_CLOUDFLARED_READY: path.join(home, 'ready'),
        },
      });
      return house;
    },
    /** Runs what was uploaded last. */
    async startWorker(): Promise<void> {
      await worker?.stop();
      const folder = path.join(home, 'objects');
      worker = await startUploadedWorker(fake, { hostname, port: workerPort, folder });
    },
    secrets: async () =>
      (JSON.parse(await readFile(secretsFile, 'utf8')) as { secrets: Record<string, string> }).secrets,
    damageKeys: async () => {
      const text = await readFile(secretsFile, 'utf8');
      const file = JSON.parse(text) as { secrets: Record<string, string> };
      file.secrets['mailbox-keys'] = '{"damaged';
      await writeFile(secretsFile, JSON.stringify(file));
    },
  };
}

const mentions = async (house: HeadlessProcess) =>
  (await house.call('webmentions.list', { limit: 100 })).items.map(({ source }) => source).sort();
/** A new address takes a while to work, so the mailbox is looked at again. */
const ready = (house: HeadlessProcess) =>
  expect
    .poll(() => house.call('mailbox.retry', {}), patience)
    .toMatchObject({ state: 'asleep-ready', toCopy: 0 });

test(
  'the uploaded mailbox answers for this server while it is away, and is removed without a trace',
  { timeout: 400_000 },
  async () => {
    const { fake, url, ...program } = await scene();
    const sources = await mentionSources(`${url}/`);
    const apiToken = fake.token;
    let house = await program.start();
    await house.call('cloudflare.connect', { apiToken });
    const [accountId, zoneId] = [fake.account.id, fake.zone.id];
    expect(await house.call('cloudflare.checkName', { zoneId, hostname })).toMatchObject({ available: true });
    const setUp = await house.call('cloudflare.setUp', { accountId, zoneId, hostname, mailbox: true });
    expect(setUp).toMatchObject({ state: 'ready', mailbox: true, tokenKept: false });
    await program.startWorker();
    await ready(house);

    // There: requests pass through the Worker.
    const { url: post } = await house.call('posts.create', {
      text: 'A first note.',
      format: 'plain',
      status: 'published',
      visibility: 'public',
      photos: [],
      categories: [],
    });
    const seen = await fetch(post);
    expect(seen.status).toBe(200);
    expect(await seen.text()).not.toContain('This is a copy from');
    await ready(house);

    // Signed off: the copy, and a mention is kept.
    await house.stop();
    const copy = await fetch(post, { headers: { accept: 'text/html' } });
    expect([copy.status, await copy.text()]).toEqual([200, expect.stringContaining('This is a copy from')]);
    expect(await sendMention(url, sources.page(1), `${url}/`)).toBe(202);
    house = await program.start();
    await expect.poll(() => mentions(house), patience).toEqual([sources.page(1)]);
    await ready(house);
    expect((await house.call('mailbox.status', {})).lastDrain).toMatchObject({ arrived: 1 });

    // Other keys: nobody notices, neither before Cloudflare uses them nor afterwards. No private key is there.
    const page = async () => (await fetch(post)).text();
    await house.call('mailbox.rotateKeys', { apiToken });
    expect(await page()).not.toContain('This is a copy from');
    await program.startWorker();
    await ready(house);
    expect(await page()).not.toContain('This is a copy from');
    const { sealing } = JSON.parse((await program.secrets())['mailbox-keys'] ?? '') as MailboxKeys;
    expect(sealing).toHaveLength(2);
    expect(JSON.stringify(fake.scripts)).toContain(sealing[0]?.publicKey);
    for (const { privateKey } of sealing) expect(JSON.stringify(fake.scripts)).not.toContain(privateKey);

    // Killed: the Worker notices by itself.
    await house.stop('SIGKILL');
    expect(await sendMention(url, sources.page(2), `${url}/`)).toBe(202);
    house = await program.start();
    await expect.poll(() => mentions(house), patience).toEqual([sources.page(1), sources.page(2)]);
    expect([...sources.reads.values()]).toEqual([1, 1]);

    // Its keys are damaged: it is still turned off, and the address stays.
    await house.stop();
    await program.damageKeys();
    house = await program.start();
    await expect
      .poll(() => house.call('mailbox.status', {}), patience)
      .toMatchObject({ state: 'trouble', remedy: 'update' });
    expect(await house.call('mailbox.turnOff', { apiToken })).toMatchObject({ state: 'off' });
    expect(fake.contents().map((one) => one.split(' ')[0])).toEqual(['tunnel', 'CNAME']);
    expect(Object.keys(await program.secrets())).not.toContain('mailbox-keys');

    // On again, and everything is removed.
    await house.call('mailbox.turnOn', { apiToken });
    await program.startWorker();
    expect(Object.keys(await program.secrets())).toContain('mailbox-keys');
    expect(await house.call('cloudflare.disconnect', { apiToken })).toMatchObject({ state: 'none' });
    expect(fake.contents()).toEqual([]);
    expect(Object.keys(await program.secrets())).not.toContain('mailbox-keys');
    expect(fake.problems).toEqual([]);
  },
);
