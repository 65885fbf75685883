import { describe, expect, test, vi } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { createEndings } from '../../../src-main/storage/endings.ts';

const full = new PorchlightError('storage_full', 'Full.', 507);
const one = new Map([['quill', 1]]);

/** A register with one kind of ending, on a disk that takes nothing while `disk.error` is set. */
function scene() {
  const disk: { error: Error | undefined } = { error: undefined };
  const written: string[] = [];
  const changed = vi.fn();
  const shown = vi.fn();
  const saved = vi.fn();
  const failed = vi.fn();
  const endings = createEndings({ changed });
  endings.connect(failed);
  const write = async (id: string, ending: number) => {
    await Promise.resolve();
    if (disk.error) throw disk.error;
    written.push(`${id} ${ending}`);
    return id;
  };
  const apps = endings.kind<number>({ write, changed: shown, saved, words: (id) => `${id} is signed out` });
  const end = (given = one) =>
    apps.end(given, async () => {
      for (const [id, ending] of given) await write(id, ending);
      return 'done';
    });
  return { disk, written, changed, shown, saved, failed, endings, apps, end };
}

describe('an ending', () => {
  test('applies before it is written, and is left to the store once it is', async () => {
    const { apps, end, endings, written, shown, saved } = scene();
    const ended = end();
    expect(apps.get('quill')).toBe(1);
    expect(shown).toHaveBeenCalledTimes(1);
    expect(await ended).toBe('done');
    expect(written).toEqual(['quill 1']);
    expect([apps.get('quill'), apps.isSaved('quill'), endings.problem()]).toEqual([
      undefined,
      true,
      undefined,
    ]);
    expect(saved).not.toHaveBeenCalled();
  });

  test.each([
    ['storage_full', 'the disk is full'],
    ['storage_unwritable', 'the data folder can’t be written to'],
    ['storage_gone', 'the data folder is gone'],
    ['storage_busy', 'too many files are open on this computer'],
  ] as const)('that meets %s applies, is listed, and is written later', async (code, reason) => {
    const { disk, apps, end, endings, written, changed, saved, failed } = scene();
    disk.error = new PorchlightError(code, 'No.', 507);
    expect(await end()).toBeUndefined();
    expect([apps.get('quill'), apps.isSaved('quill')]).toEqual([1, false]);
    expect(endings.problem()).toEqual({
      code: 'not_saved',
      message: expect.stringContaining(`Not saved yet: ${reason}. quill is signed out.`) as string,
    });
    expect(endings.lossWords()).toContain('quill is signed out');
    expect([changed.mock.calls.length, failed.mock.calls.length]).toEqual([1, 1]);
    expect(await endings.retry()).toBe(false);
    expect(apps.get('quill')).toBe(1);

    disk.error = undefined;
    expect(await endings.retry()).toBe(true);
    expect(written).toEqual(['quill 1']);
    expect([apps.get('quill'), endings.problem(), endings.lossWords()]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(saved.mock.calls).toEqual([['quill', 1]]);
  });

  test('that is refused for another reason never was', async () => {
    const { disk, apps, end, endings } = scene();
    disk.error = new PorchlightError('not_found', 'It is not signed in.', 404);
    await expect(end()).rejects.toBe(disk.error);
    expect([apps.get('quill'), endings.problem()]).toEqual([undefined, undefined]);
  });

  test('of a thing that is gone when there is room again is forgotten', async () => {
    const { disk, end, endings } = scene();
    disk.error = full;
    await end();
    disk.error = new PorchlightError('not_found', 'It is gone.', 404);
    expect(await endings.retry()).toBe(true);
  });

  test('stays while its store fails in a way that may pass', async () => {
    const { disk, apps, end, endings } = scene();
    disk.error = full;
    await end();
    disk.error = new PorchlightError('storage_changed', 'Try again.', 503);
    expect(await endings.retry()).toBe(false);
    expect(apps.get('quill')).toBe(1);
  });

  test('that is replaced by a newer one is written as the newer one says', async () => {
    const { disk, apps, end, endings, written } = scene();
    disk.error = full;
    await end();
    await end(new Map([['quill', 2]]));
    expect(apps.get('quill')).toBe(2);
    disk.error = undefined;
    await endings.retry();
    expect(written).toEqual(['quill 2']);
  });

  test('of many things names the first ones', async () => {
    const { disk, end, endings } = scene();
    disk.error = full;
    await end(new Map(Array.from({ length: 7 }, (_, number) => [`app ${number}`, number])));
    expect(endings.problem()?.message).toContain('app 4 is signed out; and 2 more.');
  });
});

describe('taking an ending back', () => {
  test('needs no disk if nothing of it was written', async () => {
    const { disk, apps, end, endings, written } = scene();
    disk.error = full;
    await end();
    expect(await apps.takeBack(['quill'], () => Promise.resolve('back'))).toBe('back');
    expect([apps.get('quill'), endings.problem()]).toEqual([undefined, undefined]);
    disk.error = undefined;
    await endings.retry();
    expect(written).toEqual([]);
  });

  test('that fails leaves the ending in effect', async () => {
    const { disk, apps, end, endings, written } = scene();
    disk.error = full;
    await end();
    await expect(apps.takeBack(['quill'], () => Promise.reject(full))).rejects.toBe(full);
    expect(apps.get('quill')).toBe(1);
    disk.error = undefined;
    await endings.retry();
    expect(written).toEqual(['quill 1']);
  });

  test('and a retry at the same time do not both win', async () => {
    const { disk, apps, end, endings, written } = scene();
    disk.error = full;
    await end();
    disk.error = undefined;
    const back = apps.takeBack(['quill'], async () => {
      await endings.retry();
    });
    await back;
    expect([written, apps.get('quill')]).toEqual([[], undefined]);
  });
});
