import { chmod, mkdir, mkdtemp, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { closeToOthers as closeFolder } from '../../../src-main/storage/closed-to-others.ts';
import { startPorchlight } from '../../support/porchlight.ts';

let dir: string;
beforeEach(async ({ skip }) => {
  if (process.platform === 'win32') skip('Windows has no such modes');
  dir = await mkdtemp(path.join(tmpdir(), 'porchlight-open-'));
  const made = dir;
  // Not a function for after the test: that would run before the ones that stop a server.
  onTestFinished(() => rm(made, { recursive: true, force: true }));
});

const modeOf = async (...parts: string[]) =>
  ((await stat(path.join(dir, ...parts))).mode & 0o777).toString(8);
/** Closes the folder and everything in it. */
async function closeToOthers(...args: Parameters<typeof closeFolder>) {
  const { problems, closeContents } = await closeFolder(...args);
  await closeContents(new AbortController().signal);
  return problems;
}

async function put(mode: number, ...parts: string[]): Promise<void> {
  await mkdir(path.dirname(path.join(dir, ...parts)), { recursive: true });
  await writeFile(path.join(dir, ...parts), 'text');
  await chmod(path.join(dir, ...parts), mode);
}

describe('a data folder that others on this computer could open', () => {
  test('a data folder that others could open is closed to them at the start, with everything in it', async () => {
    const first = await startPorchlight({ dataDir: dir });
    await first.stop();
    await put(0o644, 'posts', 'extra.json');
    await put(0o755, 'tunnel', 'bin', 'cloudflared');
    await chmod(path.join(dir, 'posts'), 0o755);
    await chmod(dir, 0o755);
    const second = await startPorchlight({ dataDir: dir });
    onTestFinished(() => second.stop());
    expect(await modeOf()).toBe('700');
    await expect.poll(() => modeOf('posts')).toBe('700');
    await expect.poll(() => modeOf('posts', 'extra.json')).toBe('600');
    await expect.poll(() => modeOf('tunnel', 'bin', 'cloudflared')).toBe('700');
    expect((await second.call('status.get', {})).problems).toEqual([]);
  });

  test('the data folder itself is closed at once, and its contents once the server is on, until it is stopped', async () => {
    await put(0o644, 'posts', 'extra.json');
    await put(0o644, 'records.sqlite');
    // Earlier versions left the words of all posts in it.
    await put(0o644, 'index.sqlite');
    await chmod(dir, 0o755);
    const { problems, closeContents } = await closeFolder(dir);
    expect(problems).toEqual([]);
    expect([await modeOf(), await modeOf('records.sqlite')]).toEqual(['700', '600']);
    const modes = async () => [await modeOf('posts', 'extra.json'), await modeOf('index.sqlite')];
    expect(await modes()).toEqual(['644', '644']);
    await closeContents(AbortSignal.abort());
    expect(await modes()).toEqual(['644', '644']);
    await closeContents(new AbortController().signal);
    expect(await modes()).toEqual(['600', '600']);
  });

  test('the data folder is closed before a start reads or moves anything in it', async () => {
    await chmod(dir, 0o755);
    await writeFile(`${dir}.restore.json`, 'not a restore');
    onTestFinished(() => rm(`${dir}.restore.json`));
    await expect(startPorchlight({ dataDir: dir })).rejects.toMatchObject({ code: 'restore_broken' });
    expect(await modeOf()).toBe('700');
  });

  test('all files of a large folder are closed, and all folders in it', async () => {
    const names = Array.from({ length: 150 }, (_, number) => `${number}.json`);
    const folders = ['posts', 'posts/2026', 'posts/2026/11', 'media'];
    for (const folder of ['posts/2026/11', 'media'])
      await Promise.all(names.map((name) => put(0o644, folder, name)));
    for (const folder of folders) await chmod(path.join(dir, folder), 0o755);
    await chmod(dir, 0o755);
    expect(await closeToOthers(dir)).toEqual([]);
    const modes = (parts: readonly string[]) =>
      Promise.all(parts.map((part) => modeOf(part))).then((all) => [...new Set(all)]);
    expect(await modes(folders)).toEqual(['700']);
    expect(await modes(names.flatMap((name) => [`posts/2026/11/${name}`, `media/${name}`]))).toEqual(['600']);
  });

  test('keeps SQLite’s locks: a database in it is not opened while its contents are closed', async () => {
    const { DatabaseSync } = await import('../../../src-main/storage/sqlite.ts');
    await chmod(dir, 0o755);
    const { closeContents } = await closeFolder(dir);
    const file = path.join(dir, 'records.sqlite');
    const database = new DatabaseSync(file);
    onTestFinished(() => database.close());
    database.exec('CREATE TABLE t (x); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)');
    await chmod(file, 0o644);
    await closeContents(new AbortController().signal);
    // Another process still can't write, because the lock is there.
    const { spawnSync } = await import('node:child_process');
    const other = `const { DatabaseSync } = await import(${JSON.stringify(import.meta.resolve('../../../src-main/storage/sqlite.ts'))});
      new DatabaseSync(process.argv[1]).exec('BEGIN IMMEDIATE');`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', other, file], {
      encoding: 'utf8',
    });
    expect(stderr).toContain('database is locked');
  });

  test('is closed if it is named by a link', async () => {
    await chmod(dir, 0o777);
    const link = `${dir}-link`;
    await symlink(dir, link);
    onTestFinished(() => rm(link));
    expect(await closeToOthers(link)).toEqual([]);
    expect(await modeOf()).toBe('700');
  });

  test('leaves the target of a link in it unchanged', async () => {
    const elsewhere = await mkdtemp(path.join(tmpdir(), 'porchlight-elsewhere-'));
    onTestFinished(() => rm(elsewhere, { recursive: true }));
    await writeFile(path.join(elsewhere, 'shared.txt'), 'text');
    await chmod(path.join(elsewhere, 'shared.txt'), 0o644);
    await chmod(elsewhere, 0o755);
    await symlink(elsewhere, path.join(dir, 'folder'));
    await symlink(path.join(elsewhere, 'shared.txt'), path.join(dir, 'file'));
    await chmod(dir, 0o755);
    expect(await closeToOthers(dir)).toEqual([]);
    expect([(await stat(elsewhere)).mode & 0o777, await modeOf('file')]).toEqual([0o755, '644']);
  });

  test('is not walked if it is closed already: a start costs the same for any number of files', async () => {
    await put(0o644, 'posts', 'extra.json');
    await chmod(dir, 0o700);
    expect(await closeToOthers(dir)).toEqual([]);
    expect(await modeOf('posts', 'extra.json')).toBe('644');
  });

  test('waits for nothing that is no file, such as a pipe or a socket', async () => {
    const { execFileSync } = await import('node:child_process');
    execFileSync('mkfifo', ['-m', '666', path.join(dir, 'pipe')]);
    await chmod(dir, 0o755);
    expect(await closeToOthers(dir)).toEqual([]);
    expect(await modeOf('pipe')).toBe('666');
  });

  test('a data folder that can’t be closed is a problem that the owner reads', async () => {
    await chmod(dir, 0o755);
    const problems = await closeToOthers(dir, () =>
      Promise.reject(Object.assign(new Error('x'), { code: 'EPERM' })),
    );
    expect(problems).toMatchObject([{ code: 'folder_open' }]);
    expect(problems[0]?.message).toContain(`“${dir}”`);
    expect(await modeOf()).toBe('755');
  });

  test('on a disk that keeps no modes is a problem too', async () => {
    await chmod(dir, 0o755);
    expect(await closeToOthers(dir, () => Promise.resolve())).toMatchObject([{ code: 'folder_open' }]);
  });

  test('a file that is deleted in the meantime ends nothing', async () => {
    await put(0o644, 'a.json');
    await chmod(dir, 0o755);
    const moving = async (file: string, mode: number) => {
      await rename(path.join(dir, 'a.json'), `${dir}.gone`).catch(() => undefined);
      await chmod(file, mode);
    };
    onTestFinished(() => rm(`${dir}.gone`, { force: true }));
    expect(await closeToOthers(dir, moving)).toEqual([]);
  });
});
