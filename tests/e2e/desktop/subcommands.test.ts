import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Result } from '../../../src-main/contract/contract.ts';
import type { Status } from '../../../src-main/contract/status.ts';
import { runAppCli, runCli } from '../../support/cli.ts';
import { launchDesktop, whyNoDesktop, type RunningDesktop } from '../../support/electron-app.ts';
import { startHeadless, type HeadlessProcess } from '../../support/headless-process.ts';
import { drawing } from '../../support/picture-samples.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const why = whyNoDesktop();
if (why !== undefined) console.warn(`The desktop program as a command is not tested: ${why}.`);

describe.skipIf(why !== undefined)('the desktop program, started with a command', () => {
  let porchlight: HeadlessProcess;
  beforeAll(async () => {
    porchlight = await startHeadless({ args: ['--me', 'https://owner.example/'] });
  });
  afterAll(async () => {
    await desktop?.stop();
    await porchlight.remove();
  });

  let desktop: RunningDesktop | undefined;
  const runningApp = async () => (desktop ??= await launchDesktop());

  const app = (args: readonly string[], cwd?: string) =>
    runAppCli([...args, '--data', porchlight.dataDir], cwd === undefined ? {} : { cwd });

  test('asks a headless server, prints only the result, and opens no profile', async () => {
    const { code, stdout } = await app(['status', '--json']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(stdout)).toEqual(await porchlight.call('status.get', {}));
    expect(await readdir(porchlight.dataDir)).not.toContain('electron');
  });

  test('publishes a photo from the folder that it is run in', async () => {
    const folder = await temporaryFolder();
    await writeFile(path.join(folder, 'lamp.png'), await drawing(200, 100).png().toBuffer());
    const made = await app(['post', 'From the app', '--photo', 'lamp.png', '--alt', 'A lamp'], folder);
    expect(made.code, made.stderr).toBe(0);
    const html = await (await fetch(made.stdout.trim())).text();
    expect(html).toContain('From the app');
    expect(html).toContain('alt="A lamp"');
    const missing = await app(['post', 'x', '--photo', 'nowhere.png'], folder);
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toContain('nowhere.png” can’t be read');
  });

  test('reads stdin, and its exit codes are those of the command', async () => {
    const draft = await runAppCli(['post', '-', '--draft', '--json', '--data', porchlight.dataDir], {
      input: 'Not yet\n',
    });
    expect(draft.code, draft.stderr).toBe(0);
    expect(JSON.parse(draft.stdout) as Result<'posts.create'>).toMatchObject({ summary: 'Not yet' });
    expect(await app(['status', '--photo', 'x'])).toMatchObject({ code: 2, stdout: '' });
    expect(await app(['approve', '07', '--yes'])).toMatchObject({ code: 1, stdout: '' });
  });

  test('explains how to start a server if none is running, and creates no folder for it', async () => {
    const home = await temporaryFolder();
    const none = await runAppCli(['status', '--data', path.join(home, 'none')]);
    expect(none).toMatchObject({ code: 3, stdout: '' });
    expect(none.stderr).toContain('Start the app');
    expect(await readdir(home)).toEqual([]);
  });

  test('needs no server for help and completions', async () => {
    for (const args of [['help'], ['help', 'post'], ['completion', 'zsh']])
      expect(await runAppCli(args)).toMatchObject({ code: 0, stdout: (await runCli(args)).stdout });
  });

  test.each([
    ['the desktop program as a command', runAppCli],
    ['the porchlight command', runCli],
  ])('%s reaches the running app, which shows its window', async (_name, run) => {
    const { app, dataDir, ready } = await runningApp();
    const status = await run(['status', '--json', '--data', dataDir]);
    expect(status.code, status.stderr).toBe(0);
    expect((JSON.parse(status.stdout) as Status).baseUrl).toBe(ready.baseUrl);
    const windows = () =>
      app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((window) => window.isVisible()));
    await app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().forEach((window) => window.hide()),
    );
    // A start of the app would have handed over to the one that runs, and shown its window.
    await run(['mentions', '--data', dataDir]);
    expect(await windows()).toEqual([false]);
    const opened = await run(['open', '--data', dataDir]);
    expect(opened).toMatchObject({ code: 0, stdout: 'The window is open.\n' });
    await expect.poll(windows).toEqual([true]);
  });

  test('the porchlight command says that no server is running, once the app has ended', async () => {
    const { dataDir, stop } = await runningApp();
    expect(await stop()).toBe(0);
    desktop = undefined;
    expect(await runCli(['status', '--data', dataDir])).toMatchObject({ code: 3 });
  });
});
