import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHeadless } from '../support/headless-process.ts';

const run = promisify(execFile);
const program = path.join(import.meta.dirname, '../../out/main/headless.js');

/** Runs --check over a folder. */
async function check(dataDir: string, ...more: string[]): Promise<{ code: number; text: string }> {
  try {
    const { stdout } = await run(process.execPath, [program, '--check', '--data', dataDir, ...more]);
    return { code: 0, text: stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, text: stdout + stderr };
  }
}

let dataDir: string;
let running: { code: number; text: string };

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'porchlight-check-'));
  const house = await startHeadless({ dataDir, args: ['--me', 'https://owner.example/'] });
  await house.call('posts.create', {
    content: 'One',
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
  });
  await house.call('media.upload', { name: 'words.txt', data: Buffer.from('hello').toString('base64') });
  running = await check(dataDir);
  await house.stop();
});

afterAll(() => rm(dataDir, { recursive: true, force: true }));

test('--check counts the posts, files and mentions and reports that all is well, also while Porchlight runs', async () => {
  const inOrder = { code: 0, text: '1 post, 1 file, 0 mentions: everything is in order.\n' };
  expect(running).toEqual(inOrder);
  expect(await check(dataDir)).toEqual(inOrder);
  const { code, text } = await check(dataDir, '--json');
  expect([code, JSON.parse(text)]).toEqual([
    0,
    { event: 'checked', posts: 1, files: 1, mentions: 0, problems: [] },
  ]);
});

test('--check names each problem, changes nothing, and exits with 1', async () => {
  const posts = path.join(dataDir, 'posts');
  const names = await readdir(posts, { recursive: true });
  const document = names.find((name) => name.endsWith('.json')) ?? '';
  await writeFile(path.join(posts, document), '{"broken');
  const before = await readdir(dataDir, { recursive: true });
  const { code, text } = await check(dataDir);
  expect(code).toBe(1);
  expect(text).toMatch(/1 problem:\n- .*can/);
  expect((await readdir(dataDir, { recursive: true })).filter((name) => !name.startsWith('lock'))).toEqual(
    before.filter((name) => !name.startsWith('lock')),
  );
});

test('--check reports that the folder does not exist', async () => {
  const { code, text } = await check(path.join(dataDir, 'nowhere'));
  expect(code).toBe(1);
  expect(text).toContain('doesn’t exist');
});
