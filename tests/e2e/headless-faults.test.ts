import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Params } from '../../src-main/contract/contract.ts';
import { startHeadless } from '../support/headless-process.ts';
import { logText } from '../../src-main/platform/log.ts';
import { holderOf } from '../../src-main/storage/folder-lock.ts';
import { patience } from '../support/patience.ts';
import { mountSmallDisk } from '../support/small-disk.ts';

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'porchlight-e2e-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

test.each(['settings.json', 'server.json'])(
  'a %s of a newer version is refused with words that name the file and say what to do',
  async (name) => {
    const dir = await folder();
    const file = join(dir, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, '{"format":99}\n');
    const start = startHeadless({ dataDir: dir });
    await expect(start).rejects.toThrow(
      /Porchlight could not start: .*newer Porchlight.*Install the newer Porchlight again\. Or move the data folder away/s,
    );
    await expect(start).rejects.toThrow(`"${file}" was written by a newer Porchlight`);
    expect(await readFile(file, 'utf8')).toBe('{"format":99}\n');
  },
);

test('a data folder that is missing is made at the first start, which says so in one line', async () => {
  const dataDir = join(await folder(), 'new', 'data');
  const first = await startHeadless({ dataDir });
  onTestFinished(() => first.remove());
  const made = `Porchlight created the data folder ${dataDir}.`;
  expect(
    first
      .log()
      .split('\n')
      .filter((line) => line.includes(made)),
  ).toHaveLength(1);
  await first.stop();
  const second = await startHeadless({ dataDir });
  onTestFinished(() => second.remove());
  expect(second.log()).not.toContain('created the data folder');
});

test('a first start without a network says what is missing, and serves', async () => {
  // As with `npm start`, the command of the package cloudflared is on the PATH.
  const PATH = join(import.meta.dirname, '../../node_modules/.bin');
  const offline = `import dns from 'node:dns/promises'; import { syncBuiltinESMExports } from 'node:module';
    dns.lookup = async (name) => { throw Object.assign(new Error(name), { code: 'EAI_AGAIN' }); };
    syncBuiltinESMExports();`;
  const porchlight = await startHeadless({
    args: ['--tunnel', 'quick', '--me', 'https://ada.example/'],
    env: { PATH, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(offline)}` },
  });
  onTestFinished(() => porchlight.remove());
  const words = async () => (await porchlight.call('tunnel.status', {})).words;
  const missing = 'cloudflared could not be downloaded. The other server could not be reached.';
  await expect.poll(words, { interval: 100 }).toContain(missing);
  await vi.waitFor(() => expect(porchlight.log()).toContain('could not read your name and photo'));
  const onTerminal = porchlight.log().split('\n').filter(Boolean).map(logText);
  expect(onTerminal.join('')).not.toMatch(/^\s+at /m);
  expect((await fetch(porchlight.ready.baseUrl)).status).toBe(200);
});

test.for(['stopped', 'killed'])(
  'a used data folder that may only be read is served after Porchlight was %s, and takes changes again later',
  async (how, context) => {
    const disk = await mountSmallDisk(context, '32m');
    onTestFinished(() => disk.remove());
    const first = await startHeadless({ dataDir: disk.dir });
    const post = (content: string): Params<'posts.create'> => ({
      content,
      photos: [],
      categories: [],
      visibility: 'public',
      status: 'published',
    });
    const { url } = await first.call('posts.create', post('The first'));
    await first.stop(how === 'killed' ? 'SIGKILL' : 'SIGTERM');
    await disk.setWritable(false);

    const second = await startHeadless({ dataDir: disk.dir });
    onTestFinished(async () => void (await second.stop()));
    const page = await fetch(`${second.ready.baseUrl}${new URL(url).pathname}`);
    expect(await page.text()).toContain('The first');
    await expect(second.call('posts.create', post('Lost'))).rejects.toMatchObject({
      code: 'storage_unwritable',
    });
    const codes = async () => (await second.call('status.get', {})).problems.map(({ code }) => code);
    await vi.waitFor(async () => expect(await codes()).toContain('storage_unwritable'), patience);
    await disk.setWritable(true);
    await vi.waitFor(() => second.call('posts.create', post('The second')), patience);
    expect((await second.call('posts.list', {})).items).toHaveLength(2);
    await expect(startHeadless({ dataDir: disk.dir })).rejects.toThrow('is in use by another Porchlight');
  },
);

test('an empty data folder that may only be read is refused with words that say which and why', async (context) => {
  const disk = await mountSmallDisk(context, '1m');
  onTestFinished(() => disk.remove());
  await disk.setWritable(false);
  await expect(startHeadless({ dataDir: disk.dir })).rejects.toThrow(
    /Porchlight could not start: .*could not be saved \(EROFS\)\. Check that the disk/s,
  );
});

test('ends in order even if a file never answers, as on a disconnected network drive', async () => {
  const pipe = join(await folder(), 'pipe');
  // Opening a pipe that nobody writes to blocks a thread, which no signal but SIGKILL ends.
  await promisify(execFile)('mkfifo', [pipe]);
  const blocking = `import { readFile } from 'node:fs/promises'; readFile(${JSON.stringify(pipe)});`;
  const porchlight = await startHeadless({
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(blocking)}` },
  });
  onTestFinished(() => porchlight.remove());
  await porchlight.stop();
  expect(porchlight.child.signalCode).toBe('SIGKILL');
  expect(await holderOf(porchlight.dataDir)).toEqual({ released: true });
});
