import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callOwner, launchDesktop, whyNoDesktop, type RunningDesktop } from '../../support/electron-app.ts';
import { fakeCloudflared, tunnelScene, type TunnelScene } from '../../support/tunnel-scene.ts';

const reason = whyNoDesktop();
if (reason) console.log(`The desktop tests are skipped: ${reason}.`);

describe.skipIf(reason)('in trouble', () => {
  let scene: TunnelScene;
  let other: Server;
  let port: number;
  let desktop: RunningDesktop;
  beforeAll(async () => {
    other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    port = (other.address() as AddressInfo).port;
    scene = await tunnelScene();
    desktop = await launchDesktop({
      args: ['--secrets', 'file', '--me', 'https://ada.example/', '--port', String(port)],
      env: { ...scene.env('connect'), PORCHLIGHT_CLOUDFLARED: fakeCloudflared },
    });
  });
  afterAll(async () => {
    await desktop.stop();
    other.close();
    await scene.close();
  });

  test('a port that is taken: the window says by whom, and another one is a press away', async () => {
    const { page } = desktop;
    await page.getByRole('heading', { name: 'Porchlight can’t turn on' }).waitFor();
    await page
      .getByText(new RegExp(`Port ${port} is taken by node.*\\.`))
      .first()
      .waitFor();

    await page.getByRole('button', { name: 'Use another port' }).click();
    await page.getByRole('heading', { name: 'Porchlight is on' }).waitFor();
    const { port: now } = await callOwner(page, 'status.get', {});
    expect(now).not.toBe(port);
    expect((await fetch(`http://127.0.0.1:${now}/`)).status).toBe(200);
  });

  test('a tunnel that is killed reconnects by itself', async () => {
    const { page } = desktop;
    const state = async () => (await callOwner(page, 'tunnel.status', {})).state;
    await page.evaluate(() => {
      Reflect.set(window, 'states', []);
      window.porchlight!.subscribe(({ name, data }) => {
        if (name === 'tunnel.changed') (Reflect.get(window, 'states') as string[]).push(data.state);
      });
    });
    await callOwner(page, 'settings.update', { tunnel: { mode: 'quick' } });
    await expect.poll(state, { timeout: 60_000 }).toBe('connected');
    await page.getByRole('link', { name: /warm-light-on-porch/ }).waitFor();

    process.kill(scene.starts().at(-1)!.pid, 'SIGKILL');
    await expect.poll(() => scene.starts().length, { timeout: 60_000 }).toBe(2);
    await expect.poll(state, { timeout: 60_000 }).toBe('connected');
    const states = (await page.evaluate(() => Reflect.get(window, 'states') as string[])).join(' ');
    expect(states).toMatch(/connected .*reconnecting .*connected$/);
  });

  test('the saved support file is exactly the one that was shown', async () => {
    const { app, page, dataDir } = desktop;
    const path = join(dataDir, 'saved.txt');
    // Electron's own dialog asks where to; a test answers for the owner here.
    await app.evaluate(({ session }, path) => {
      session.defaultSession.on('will-download', (_event, item) => item.setSavePath(path));
    }, path);
    await page.evaluate(() => void (location.hash = '#/activity'));
    await page.getByRole('button', { name: 'Create a support file' }).click();
    const shown = await page.getByLabel('Content of the support file', { exact: true }).textContent();
    await page.getByRole('button', { name: 'Save file', exact: true }).click();
    await expect.poll(() => existsSync(path)).toBe(true);
    await expect.poll(() => readFile(path, 'utf8')).toBe(shown);
    expect(shown).toContain('https://ada.example/');
  });
});
