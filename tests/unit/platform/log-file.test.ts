import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { createLogFile } from '../../../src-main/platform/log-file.ts';
import { lockFolder } from '../../../src-main/storage/folder-lock.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

describe('the log in files', () => {
  test('the log contains lines from before there was a folder, and only its owner can read it', async () => {
    const dir = join(await temporaryFolder(), 'logs');
    const log = createLogFile();
    log.write('early\n');
    log.open(dir);
    log.write('late\n');
    await log.close();
    const file = join(dir, 'porchlight.log');
    expect(await readFile(file, 'utf8')).toBe('early\nlate\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('is put aside at its size, and no more files are kept than are asked for', async () => {
    const dir = await temporaryFolder();
    const log = createLogFile({ size: '100B', kept: 2 });
    log.open(dir);
    const lines = Array.from({ length: 20 }, (_, at) => `line ${String(at).padStart(40, '0')}\n`);
    for (const line of lines) log.write(line);
    await log.close();
    expect((await readdir(dir)).sort()).toEqual(['porchlight.log', 'porchlight.log.1', 'porchlight.log.2']);
    const texts = await Promise.all(
      ['porchlight.log.2', 'porchlight.log.1', 'porchlight.log'].map((name) =>
        readFile(join(dir, name), 'utf8'),
      ),
    );
    // Whole lines, in order, the newest of all.
    expect(lines.join('').endsWith(texts.join(''))).toBe(true);
    expect(texts.join('').length).toBeGreaterThan(200);
  });

  test('tells its newest lines', async () => {
    const dir = await temporaryFolder();
    const log = createLogFile();
    log.open(dir);
    await writeFile(join(dir, 'porchlight.log'), Array.from({ length: 500 }, (_, at) => `${at}\n`).join(''));
    expect((await log.tail()).split('\n').at(0)).toBe('300');
    expect((await log.tail()).split('\n').at(-1)).toBe('499');
    await log.close();
  });

  test('that cannot be written stops nothing, and is written again when it can', async () => {
    const dir = join(await temporaryFolder(), 'logs');
    await writeFile(dir, 'a file where the folder should be');
    const log = createLogFile({ restMs: 0 });
    log.open(dir);
    log.write('lost\n');
    await log.close();

    const good = await temporaryFolder();
    log.open(good);
    log.write('kept\n');
    await log.close();
    const [missing, kept] = (await readFile(join(good, 'porchlight.log'), 'utf8')).trimEnd().split('\n');
    expect(missing).toContain('1 line of the log is missing here');
    expect(kept).toBe('kept');
  });

  test('is not written while the data folder is gone, makes no folder, and says how many lines are missing', async () => {
    const beside = await temporaryFolder();
    const [dir, away] = [join(beside, 'data'), join(beside, 'away')];
    const lock = await lockFolder(dir);
    const log = createLogFile({ size: '1K', kept: 1, restMs: 0 });
    log.open(join(dir, 'logs'));
    log.write('before\n');
    await vi.waitFor(async () => expect(await readdir(join(dir, 'logs'))).toEqual(['porchlight.log']));
    await rename(dir, away);
    for (let line = 0; line < 60; line += 1) log.write(`${'x'.repeat(40)}\n`);
    await setTimeout(50);
    expect(await readdir(beside)).toEqual(['away']);
    await rename(away, dir);
    log.write('after\n');
    await log.close();
    await lock.release();
    const text = await readFile(join(dir, 'logs', 'porchlight.log'), 'utf8');
    expect(text).toMatch(/60 lines of the log are missing here.*\nafter\n$/s);
  });
});
