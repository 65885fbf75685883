import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mediaIndex, mediaTables } from '../../../src-main/media/media-index.ts';
import { mediaLineText, lineIn, type FileLine, type MediaLine } from '../../../src-main/media/media-lines.ts';
import type { MediaFile, MediaFilter } from '../../../src-main/media/media-store.ts';
import { mediaKindOf } from '../../../src-main/media/media-types.ts';
import { inMemory, openIndex, type IndexDatabase } from '../../../src-main/storage/index/index-database.ts';
import { passes } from '../../support/memory-media.ts';

const paths = ['a', 'b', 'c', 'd', 'e', 'f'].map(
  (one, at) => `/media/2026/1${at % 2}/${one.repeat(22)}-x.png`,
);
const path = fc.constantFrom(...paths);
const name = fc.constantFrom('Tea.png', 'tea and cake.txt', 'Ärger "quoted" % _.png', '🏮.gif', 'a.b');
const type = fc.constantFrom('image/png', 'image/gif', 'text/plain', 'application/pdf', 'audio/mp4');
const app = fc.constantFrom('https://one.example/', 'https://two.example/');
const pixels = fc.option(fc.integer({ min: 1, max: 9000 }));

const someFile: fc.Arbitrary<FileLine> = fc
  .record({
    ...{ path, name, type, bytes: fc.nat(), width: pixels, height: pixels },
    uploadedAt: fc.integer({ min: -2, max: 3 }).map((day) => new Date(day * 86_400_000).toISOString()),
    copyOf: fc.option(fc.constant('https://elsewhere.example/a.png')),
    uploadedBy: fc.option(app, { nil: undefined }),
    measured: fc.option(fc.boolean(), { nil: undefined }),
  })
  .map(({ uploadedBy, measured, ...file }) => ({
    ...file,
    kind: mediaKindOf(file.type),
    ...(uploadedBy !== undefined && { uploadedBy }),
    ...(measured !== undefined && { measured }),
  }));

const someChanges = fc.array(
  fc.oneof(
    someFile.map((file) => ({ line: file })),
    path.map((one) => ({ line: { path: one, deleted: true as const } })),
    fc.record({ path, isMissing: fc.boolean() }),
  ),
  { maxLength: 20 },
);

const someFilter: fc.Arbitrary<MediaFilter> = fc.record(
  {
    kind: fc.constantFrom('image' as const, 'audio' as const, 'video' as const, 'document' as const),
    type: fc.constantFrom('image', 'IMAGE/png', 'image/gif', 'text', 'application', 'application/pdf', 'te%'),
    text: fc.constantFrom('tea', 'TEA AND', 'ÄR', '"quoted" %', 'a', '', '🏮', 'nothing'),
    uploadedBy: app,
  },
  { requiredKeys: [] },
);

const newestFirst = (a: MediaFile, b: MediaFile) =>
  Date.parse(b.uploadedAt) - Date.parse(a.uploadedAt) || (a.path < b.path ? 1 : -1);

function fileOf(line: FileLine): MediaFile {
  const file = { ...line };
  delete file.measured;
  return file;
}

test('lists, pages and single files are what reading every line would find, whatever the filter', () => {
  fc.assert(
    fc.property(someChanges, someFilter, fc.integer({ min: 1, max: 4 }), (changes, filter, limit) => {
      const database = openIndex(inMemory, [mediaTables]);
      try {
        const index = mediaIndex(database);
        const newest = new Map<string, MediaLine>();
        const missing = new Set<string>();
        for (const change of changes) {
          if ('line' in change) {
            // What is stored is what a line of the journal says.
            const read = lineIn(mediaLineText(change.line), change.line.path.slice(7, 14));
            expect(read).toEqual(change.line);
            index.put(change.line);
            newest.set(change.line.path, change.line);
            missing.delete(change.line.path);
          } else {
            index.setMissing(change.path, change.isMissing);
            if (change.isMissing) missing.add(change.path);
            else missing.delete(change.path);
          }
        }
        const kept = [...newest.values()].filter((line): line is FileLine => !('deleted' in line));
        const files = kept.filter((line) => !missing.has(line.path)).map(fileOf);
        const wanted = files
          .filter((file) => passes(file, { ...filter, type: filter.type?.toLowerCase() }))
          .sort(newestFirst);

        expect(index.list({ limit: 100, filter })).toEqual({ items: wanted });
        expect(index.list({ limit, offset: 2, filter }).items).toEqual(wanted.slice(2, 2 + limit));
        const pages: MediaFile[] = [];
        let cursor: string | undefined;
        do {
          const page = index.list({ limit, cursor, filter });
          pages.push(...page.items);
          cursor = page.nextCursor;
        } while (cursor !== undefined);
        expect(pages).toEqual(wanted);

        for (const one of paths) {
          const file = files.find((each) => each.path === one);
          const line = kept.find((each) => each.path === one);
          expect(index.get(one)).toEqual(file && { file, isMeasured: line?.measured !== false });
          expect(index.isGone(one)).toBe(newest.has(one) && !file);
        }
        while (index.forget('2026/10', 1));
        expect([...index.ofMonth('2026/10')]).toEqual([]);
        expect(index.list({ limit: 100, filter }).items).toEqual(
          wanted.filter(({ path: one }) => one.startsWith('/media/2026/11/')),
        );
      } finally {
        database.close();
      }
    }),
    { numRuns: 300 },
  );
});

test.each<[string, MediaFilter]>([
  ['no filter', {}],
  ['a kind', { kind: 'image' }],
  ['a type', { type: 'image/png' }],
  ['all types of a kind', { type: 'image' }],
  ['an app', { uploadedBy: 'https://one.example/' }],
])('a page with %s reads only its own rows, in their order', (_what, filter) => {
  const database = openIndex(inMemory, [mediaTables]);
  const plans: string[] = [];
  const watched: IndexDatabase = {
    ...database,
    rows(read, sql, ...cells) {
      const detail = (row: Readonly<Record<string, unknown>>) => String(row['detail']);
      plans.push(...database.rows(detail, `EXPLAIN QUERY PLAN ${sql}`, ...cells));
      return database.rows(read, sql, ...cells);
    },
  };
  const cursor = Buffer.from(`0 ${paths[0]}`).toString('base64url');
  mediaIndex(watched).list({ limit: 10, filter });
  mediaIndex(watched).list({ limit: 10, filter, cursor });
  expect(plans).toHaveLength(2);
  // Neither a sort, nor a look at rows of the table that no index chose.
  for (const plan of plans) expect(plan).toMatch(/^(?:SEARCH|SCAN) media USING INDEX media_by_\w+/);
  database.close();
});
