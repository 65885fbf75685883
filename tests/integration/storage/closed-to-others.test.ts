import { chmod, mkdir, mkdtemp, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { closeToOthers } from '../../../src-main/storage/closed-to-others.ts';
import { startPorchlight } from '../../support/porchlight.ts';

let dir: string;
beforeEach(async ({ skip }) => {
  if (process.platform === 'win32') skip('Windows has no such modes');
  dir = await mkdtemp(path.join(tmpdir(), 'porchlight-open-'));
  return () => rm(dir, { recursive: true, force: true });
});

const modeOf = async (...parts: string[]) =>
  ((await stat(path.join(dir, ...parts))).mode & 0o777).toString(8);
async function put(mode: number, ...parts: string[]): Promise<void> {
  await mkdir(path.dirname(path.join(dir, ...parts)), { recursive: true });
  await writeFile(path.join(dir, ...parts), 'text');
  await chmod(path.join(dir, ...parts), mode);
}

describe('a data folder that others on this computer could open', () => {
  test('is closed to them at the start, with all that is in it', async () => {
    const first = await startPorchlight({ dataDir: dir });
    await first.stop();
    await put(0o644, 'posts', 'extra.json');
    await put(0o755, 'tunnel', 'bin', 'cloudflared');
    await chmod(path.join(dir, 'posts'), 0o755);
    await chmod(dir, 0o755);
    const second = await startPorchlight({ dataDir: dir });
    onTestFinished(() => second.stop());
    expect(await modeOf()).toBe('700');
    expect(await modeOf('posts')).toBe('700');
    expect(await modeOf('posts', 'extra.json')).toBe('600');
    expect(await modeOf('tunnel', 'bin', 'cloudflared')).toBe('700');
    expect((await second.call('status.get', {})).problems).toEqual([]);
  });

  test('is closed where it is named by a link', async () => {
    await chmod(dir, 0o777);
    const link = `${dir}-link`;
    await symlink(dir, link);
    onTestFinished(() => rm(link));
    expect(await closeToOthers(link)).toEqual([]);
    expect(await modeOf()).toBe('700');
  });

  test('keeps what a link in it leads to as it is', async () => {
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

  test('is not walked where it is closed already: a start costs the same however much is in it', async () => {
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

  test('that cannot be closed is a problem that the owner reads', async () => {
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

  test('a file that is gone meanwhile ends nothing', async () => {
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
