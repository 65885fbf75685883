import { expect, test } from 'vitest';
import { openImport } from '../../../support/import-scene.ts';
import { memoryMentions } from '../../../support/memory-mentions.ts';

const token = 'token-at-the-aggregator';

/** A store on a disk that is full after the first mentions. */
function smallStore() {
  const memory = memoryMentions();
  const disk = { code: '', left: 1 };
  const keepAll = memory.keepAll.bind(memory);
  memory.keepAll = async (incoming) => {
    if (disk.left === 0) throw Object.assign(new Error(disk.code), { code: disk.code });
    disk.left -= 1;
    return keepAll(incoming);
  };
  return { store: memory, disk };
}

test.each([
  ['ENOSPC', 'storage_full', 'The disk with your data is full.'],
  ['EDQUOT', 'storage_full', 'The disk with your data is full.'],
  ['EMFILE', 'storage_busy', 'Too many files are open on this computer.'],
])(
  'an import that meets %s says so, counts the stored mentions, and continues later',
  async (code, named, words) => {
    const { store, disk } = smallStore();
    disk.code = code;
    const scene = await openImport(2500, store);
    const failure = await scene.import.run({ token, full: true }).catch((error: unknown) => error);
    const kept = (await scene.stored()).size;
    expect(kept).toBeGreaterThan(0);
    expect(failure).toMatchObject({ code: named });
    const { words: shown = '', state } = scene.progress.at(-1) ?? {};
    expect(state).toBe('failed');
    expect(shown).toContain(words);
    expect(shown).toContain(`Imported so far: ${kept.toLocaleString('en')} new`);
    expect((failure as Error).message).toBe(shown);

    disk.left = Infinity;
    const counts = await scene.import.run({ token, full: true });
    expect(counts.imported).toBe(2500 - kept);
    expect((await scene.stored()).size).toBe(2500);
  },
);
