import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { startDevelopment } from '../support/development.ts';
import { patience } from '../support/patience.ts';
import { copySources } from '../support/source-copy.ts';

const root = path.join(import.meta.dirname, '../..');
const statusFile = 'src-main/app/status.ts';

test('npm run dev brings changes into the open window and ends with all its processes', async () => {
  const sources = await copySources();
  const development = startDevelopment(sources.folder, ['--headless', '--port', '0', '--console-port', '0']);
  const browser = await launchChromium();
  onTestFinished(async () => {
    await browser.close();
    development.kill();
    await sources.remove();
  });
  const first = await development.started(1);
  const page = await browser.newPage();
  // Vite transforms every module of the window at the first request.
  page.setDefaultTimeout(60_000);
  const refused: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) refused.push(message.text());
  });
  await page.goto(`${first.consoleUrl}/#key=${first.ownerKey}`);
  for (let step = 1; step < 4; step += 1) await page.getByRole('button', { name: 'Skip for now' }).click();
  await page.getByRole('button', { name: 'Go to Overview' }).click();
  await page.getByRole('heading', { name: 'Porchlight is on' }).waitFor();
  // A reload would lose this.
  await page.evaluate(() => Reflect.set(globalThis, 'isSamePage', true));

  // The window: replaced in the open page.
  await sources.change('src-renderer/features/overview/words.ts', "title: 'Overview'", "title: 'Veranda'");
  await page.getByRole('heading', { name: 'Veranda' }).waitFor();

  // The main process: a mistake is reported, and the process keeps running. The next change starts another one.
  await sources.change(statusFile, 'base}`;', 'base} now;');
  await expect.poll(() => development.log(), patience).toContain('The main process could not be built.');
  expect((await page.request.get(first.baseUrl)).status()).toBeLessThan(500);
  await sources.change(statusFile, 'base} now;', 'base} now`;');
  const second = await development.started(2);
  await page.getByText(/^Reachable on this computer only, .* now$/).waitFor();
  expect(second.ownerKey).toBe(first.ownerKey);
  expect(await page.evaluate(() => Reflect.get(globalThis, 'isSamePage') as unknown)).toBe(true);
  expect(refused).toEqual([]);

  // Nobody gets in without the key, or from another site.
  const call = (headers: Record<string, string>) =>
    page.request.post(`${first.consoleUrl}/api/status.get`, { data: {}, headers });
  const authorization = `Bearer ${first.ownerKey}`;
  expect((await call({ authorization })).status()).toBe(200);
  expect((await call({ authorization: 'Bearer guessed' })).status()).toBe(401);
  expect((await call({ authorization, origin: 'https://elsewhere.example' })).status()).toBe(403);
  expect((await call({ authorization, host: 'elsewhere.example' })).status()).toBe(403);
  const secrets = `${first.consoleUrl}/@fs${sources.folder}/.dev/data/secrets.json?raw`;
  expect((await page.request.get(secrets)).status()).toBe(403);

  await page.close();
  await development.interrupt();
  await expect.poll(() => development.isRunning(), patience).toBe(false);
}, 540_000);

test('a release contains nothing of the dev server', () => {
  const files = globSync('out/{main,renderer}/**/*.{js,cjs,html}', { cwd: root });
  expect(files.length).toBeGreaterThan(10);
  const traces = /PORCHLIGHT_DEV_WINDOW|@vite\/client|@react-refresh|\bimport\.meta\.hot\b/;
  expect(files.filter((file) => traces.test(readFileSync(path.join(root, file), 'utf8')))).toEqual([]);
});
