import { expect, test } from 'vitest';
import { createVersions } from '../../../src-main/storage/caches.ts';

test('a version changes with its source, and never returns to an earlier one', () => {
  const versions = createVersions(3);
  const seen = new Set([versions.of('posts')]);
  for (let page = 0; page < 20; page += 1) {
    versions.changed('posts');
    expect(seen).not.toContain(versions.of('posts'));
    seen.add(versions.of('posts'));
    const before = versions.of('mentions a');
    versions.changed(`mentions ${page}`);
    expect(versions.of('mentions a')).toBeGreaterThanOrEqual(before);
  }
});

test('a change of one source leaves the versions of others unchanged', () => {
  const versions = createVersions();
  versions.changed('posts');
  const before = versions.of('posts');
  versions.changed('media');
  expect(versions.of('posts')).toBe(before);
  versions.allChanged();
  expect(versions.of('posts')).toBeGreaterThan(before);
});
