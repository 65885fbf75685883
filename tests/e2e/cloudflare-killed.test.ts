import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fakeCloudflareApi } from '../support/fake-cloudflare-api.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { fakeCloudflared } from '../support/tunnel-scene.ts';

async function scene() {
  const home = await mkdtemp(path.join(tmpdir(), 'porchlight-cloudflare-kills-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const fake = await fakeCloudflareApi();
  onTestFinished(() => fake.close());
  await writeFile(path.join(home, 'ready'), '4');
  let house: HeadlessProcess | undefined;
  onTestFinished(async () => {
    await house?.stop();
  });
  let logs = '';

  /** Starts the built program with what is in its data folder. */
  async function start(): Promise<HeadlessProcess> {
    house = await startHeadless({
      dataDir: path.join(home, 'data'),
      args: ['--me', 'https://owner.example/', '--allow-private-fetch'],
      env: {
        PORCHLIGHT_CLOUDFLARE_API: fake.base,
        PORCHLIGHT_CLOUDFLARED: fakeCloudflared,
        FAKE_CLOUDFLARED: 'connect',
        FAKE_CLOUDFLARED_RECORD: path.join(home, 'starts'),
        FAKE_CLOUDFLARED_READY: path.join(home, 'ready'),
      },
    });
    return house;
  }

  /**
   * Kills the program when Cloudflare has done its next change with this number, before it answers. Returns whether
   * there were that many changes.
   */
  async function killedAt(
    change: number,
    now: HeadlessProcess,
    work: () => Promise<unknown>,
  ): Promise<boolean> {
    let [count, isKilled] = [0, false];
    fake.onEffect = async (line) => {
      if (line.startsWith('GET ')) return;
      count += 1;
      if (count !== change) return;
      isKilled = true;
      await now.stop('SIGKILL');
    };
    // A task that was not killed has to succeed.
    await work().catch((error: unknown) => {
      if (!isKilled) throw error;
    });
    fake.onEffect = () => Promise.resolve();
    logs += now.log();
    return isKilled;
  }

  /** The names of the files that have the token, and `log` if the log has it. */
  async function tokenIsIn(): Promise<string[]> {
    const files = await readdir(path.join(home, 'data'), { recursive: true, withFileTypes: true });
    const having = files.filter((entry) => entry.isFile());
    const names = await Promise.all(
      having.map(async ({ name, parentPath }) =>
        (await readFile(path.join(parentPath, name))).includes(fake.token) ? [name] : [],
      ),
    );
    return [...names.flat(), ...(logs.includes(fake.token) ? ['log'] : [])];
  }

  return { fake, start, killedAt, tokenIsIn };
}

test(
  'a setup at Cloudflare and its removal survive SIGKILL after every second change, and leave nothing behind',
  { timeout: 600_000 },
  async () => {
    const { fake, start, killedAt, tokenIsIn } = await scene();
    const requested = {
      accountId: fake.account.id,
      zoneId: fake.zone.id,
      hostname: 'porch.example.com',
      mailbox: true,
      keepToken: true,
    };
    let house = await start();
    // An interruption after each single effect: tests/integration/app/cloudflare-interrupted.slow.test.ts.
    for (let change = 1, isKilled = true; isKilled; change += 2) {
      await house.call('cloudflare.connect', { apiToken: fake.token });
      isKilled = await killedAt(change, house, () => house.call('cloudflare.setUp', requested));
      if (isKilled) {
        house = await start();
        expect(await house.call('cloudflare.status', {})).toMatchObject({
          state: 'unfinished',
          task: 'setUp',
        });
        await house.call('cloudflare.resume', {});
      } else expect(change).toBeGreaterThan(5);
      expect(await house.call('cloudflare.status', {})).toMatchObject({ state: 'ready', tokenKept: true });
      expect(fake.contents().map((one) => one.split(' ')[0])).toEqual(['tunnel', 'CNAME', 'script', 'route']);
      const [service] = fake.tunnels[0]?.ingress ?? [];
      expect(service).toEqual({
        hostname: requested.hostname,
        service: `http://127.0.0.1:${house.ready.port}`,
      });
      await expect
        .poll(() => house.call('tunnel.status', {}), { timeout: 180_000 })
        .toMatchObject({ mode: 'named', state: 'connected', url: 'https://porch.example.com' });

      // No mailbox answers here, so it can't be emptied.
      const discard = { discardKept: true };
      if (await killedAt(change, house, () => house.call('cloudflare.disconnect', discard))) {
        house = await start();
        expect(await house.call('cloudflare.status', {})).toMatchObject({
          state: 'unfinished',
          task: 'disconnect',
        });
        await house.call('cloudflare.resume', discard);
      }
      expect(await house.call('cloudflare.status', {})).toMatchObject({ state: 'none', created: [] });
      expect(await house.call('secrets.hasTunnelToken', {})).toEqual({ stored: false });
      expect(fake.contents()).toEqual([]);
      expect(fake.problems).toEqual([]);
      expect(await tokenIsIn()).toEqual([]);
    }
  },
);

test('a server on any free port keeps the one to which its tunnel leads', { timeout: 360_000 }, async () => {
  const { fake, start } = await scene();
  const first = await start();
  await first.call('cloudflare.connect', { apiToken: fake.token });
  await first.call('cloudflare.setUp', {
    accountId: fake.account.id,
    zoneId: fake.zone.id,
    hostname: 'porch.example.com',
    mailbox: false,
  });
  await first.stop();
  const second = await start();
  expect(second.ready.port).toBe(first.ready.port);
  expect(await second.call('cloudflare.status', {})).toMatchObject({ state: 'ready', tokenKept: false });
});
