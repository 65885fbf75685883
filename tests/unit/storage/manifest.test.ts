import { expect, test } from 'vitest';
import { newManifest, parseManifest, type ManifestFile } from '../../../src-main/storage/manifest.ts';

const file: ManifestFile = { bytes: 1, sha256: 'a'.repeat(64) };
const count = 20_000;

/** Returns the text of a manifest with many files, of which the last may be another one. */
function textWith(last: unknown = file): string {
  const names = Array.from({ length: count }, (_, number) => [`data/posts/${number}.json`, file] as const);
  const files = { ...Object.fromEntries(names), last } as Record<string, ManifestFile>;
  const about = { version: '1.0.0', madeAt: '2026-01-01T00:00:00.000Z', me: null, secrets: false, bytes: 1 };
  return JSON.stringify(newManifest({ ...about, files }));
}

test('a long list of files is checked in steps, between which other work runs', async () => {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const manifest = await parseManifest(textWith(), 100_000);
  isOver = true;
  expect(Object.keys(manifest.files)).toHaveLength(count + 1);
  expect(turns).toBeGreaterThan(count / 1000);
});

test.each([{ bytes: -1, sha256: file.sha256 }, { bytes: 1, sha256: 'x' }, null, 'text', {}])(
  'a list whose last file is %j is refused',
  async (last) => {
    await expect(parseManifest(textWith(last), 100_000)).rejects.toMatchObject({ code: 'backup_broken' });
  },
);
