import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request, type ClientRequest } from 'node:http';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSite, type Site } from '../../support/client-app.ts';
import {
  countDialogs,
  pressButton,
  shownDialogs,
  waitForDialog,
  watchDialogs,
  whyNoPresses,
} from '../../support/desktop-screen.ts';
import { callOwner, launchDesktop, whyNoDesktop, type RunningDesktop } from '../../support/electron-app.ts';
import { openSessionBus, whyNoBus, type SessionBus } from '../../support/session-bus.ts';
import { receivedTable } from '../../../src-main/mentions/receiving/received-mentions.ts';
import { rowsIn } from '../../../src-main/storage/records/closed-records.ts';

const reason = whyNoDesktop() ?? whyNoPresses() ?? whyNoBus();
if (reason) console.log(`The tests of closing are skipped: ${reason}.`);
const me = 'http://127.0.0.1:9/';

/** A request whose body is under way: the server has its first half and waits for the rest. */
interface HalfSent {
  readonly finish: () => Promise<number>;
}

async function sendHalf(
  port: number,
  path: string,
  headers: Record<string, string>,
  body: Buffer,
): Promise<HalfSent> {
  const sending: ClientRequest = request({
    port,
    host: '127.0.0.1',
    path,
    method: 'POST',
    // The server says “continue” when it has read the headers: it is at work on this request then.
    headers: { ...headers, 'content-length': String(body.length), expect: '100-continue' },
  });
  const answered = once(sending, 'response').then(([response]) => {
    (response as { resume(): void }).resume();
    return (response as { statusCode: number }).statusCode;
  });
  sending.flushHeaders();
  await once(sending, 'continue');
  const half = Math.floor(body.length / 2);
  sending.write(body.subarray(0, half));
  return {
    finish: () => {
      sending.end(body.subarray(half));
      return answered;
    },
  };
}

describe.skipIf(reason)('closing the window on a desktop without a tray', () => {
  let bus: SessionBus;
  let source: Site;
  let dataDir: string;
  let desktop: RunningDesktop;
  beforeAll(async () => {
    bus = await openSessionBus();
    source = await openSite();
    dataDir = await mkdtemp(join(tmpdir(), 'porchlight-closing-'));
    desktop = await launchDesktop({
      dataDir,
      args: ['--secrets', 'file', '--allow-private-fetch', '--me', me],
      env: bus.env,
      firstClosing: true,
    });
    await watchDialogs(desktop.app);
  });
  afterAll(async () => {
    await desktop.stop();
    await source.close();
    await bus.close();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
  });

  const explainedFile = () => join(dataDir, 'electron', 'closing-was-explained');
  const close = () => desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.close());
  const show = () => desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.show());

  test('asks whether Porchlight keeps running, and leaves it on', async () => {
    await close();
    await waitForDialog('Porchlight');
    const [dialog] = await shownDialogs(desktop.app);
    expect(dialog).toMatchObject({
      message: 'Keep Porchlight running?',
      buttons: ['Keep it running', 'Quit'],
    });
    await pressButton('Porchlight', 0, 2);
    await expect.poll(() => existsSync(explainedFile())).toBe(true);
    expect((await fetch(`http://127.0.0.1:${desktop.ready.port}/`)).status).toBe(200);
  });

  test('says it once', async () => {
    await show();
    await close();
    // The app would ask the bus for a tray first: the same question, asked after it, is answered after it.
    const asked = ['call', '--session', '-d', 'org.freedesktop.DBus', '-o', '/org/freedesktop/DBus'];
    await bus.run('gdbus', [
      ...asked,
      '-m',
      'org.freedesktop.DBus.NameHasOwner',
      'org.kde.StatusNotifierWatcher',
    ]);
    expect(await shownDialogs(desktop.app)).toHaveLength(1);
    expect(countDialogs('Porchlight')).toBe(0);
  });

  test('offers to quit, and quitting finishes what is under way: an upload and a mention are kept', async () => {
    // A source that never answers: its mention waits in the queue.
    source.pages.set('/', () => undefined);
    const { port } = desktop.ready;
    const { token } = await callOwner(desktop.page, 'apps.issueToken', {
      label: 'Camera',
      scopes: ['media'],
    });
    const form = new FormData();
    form.set('file', new File(['words '.repeat(50_000)], 'words.txt', { type: 'text/plain' }));
    const multipart = new Response(form);
    const upload = await sendHalf(
      port,
      '/media',
      { authorization: `Bearer ${token}`, 'content-type': multipart.headers.get('content-type')! },
      Buffer.from(await multipart.arrayBuffer()),
    );
    const mention = await sendHalf(
      port,
      '/webmention',
      { 'content-type': 'application/x-www-form-urlencoded' },
      Buffer.from(new URLSearchParams({ source: `${source.origin}/`, target: `${me}post` }).toString()),
    );

    const child = desktop.app.process();
    await rm(explainedFile());
    await show();
    await close();
    await pressButton('Porchlight', 1, 2);
    const isOpen = () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      );
    await expect.poll(isOpen, { interval: 20 }).toBe(false);
    expect(await Promise.all([upload.finish(), mention.finish()])).toEqual([201, 201]);
    await expect.poll(() => child.exitCode).toBe(0);

    const files = await readdir(join(dataDir, 'media'), { recursive: true });
    expect(files.filter((name) => name.endsWith('.txt'))).toHaveLength(1);
    const received = await rowsIn(dataDir, receivedTable);
    expect(received.map((one) => one.source)).toEqual([expect.stringContaining(source.origin)]);
  });
});
