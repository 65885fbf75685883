import { expect, test } from 'vitest';
import { managementToken, openImport, serveReading } from '../../../support/import-scene.ts';
import { newMentionStore } from '../../../support/mention-folder.ts';
import { rowOf } from '../../../support/webmention-io.ts';

type Json = Record<string, unknown>;
const token = 'token-at-the-aggregator';
/** PORCHLIGHT_IMPORTED=12345 imports as many as a large site has. */
const many = Number(process.env['PORCHLIGHT_IMPORTED'] ?? 2_345);
/** The page of 1,000 mentions at which the first run breaks, near the middle. */
const breaksAt = Math.ceil(many / 2000) - 1;
const beforeTheBreak = breaksAt * 1000;

/** Everything that our own API answers, in one go. */
async function answered(base: string, format: string, key: string): Promise<Json[]> {
  const address = `${base}/api/mentions.${format}?token=${managementToken}&per-page=99999&sort-dir=up`;
  return ((await (await fetch(address)).json()) as Json)[key] as Json[];
}

const byNumber = (a: Json, b: Json) => Number(a['wm-id'] ?? a['id']) - Number(b['wm-id'] ?? b['id']);

test(`WI-30 to WI-33 ${many} mentions, slow pages, a break, updates and deletions: nothing missing, nothing twice, every field equal`, async () => {
  const { mentions: store } = await newMentionStore();
  const scene = await openImport(many, store);
  const { io, clock } = scene;
  const base = await serveReading(store);

  async function expectEqual(): Promise<void> {
    const jf2 = io.records('jf2').map((record) => ({ ...record, url: record['url'] ?? record['wm-source'] }));
    expect((await answered(base, 'jf2', 'children')).sort(byNumber)).toEqual(jf2.sort(byNumber));
    const json = io.records('json').sort(byNumber);
    expect((await answered(base, 'json', 'links')).sort(byNumber)).toEqual(json);
  }

  // The first import breaks in the middle; rows change and go before it goes on.
  const lateOne = { ...rowOf(500.5), id: rowOf(500).id + 1, visible: false };
  io.rows.push(lateOne);
  io.delay = 3;
  io.fault = (url) => (url.searchParams.get('page') === String(breaksAt) ? 'reset' : undefined);
  const first = await scene.import.run({ token, full: true });
  expect(first).toMatchObject({ imported: beforeTheBreak, total: beforeTheBreak });
  expect(first.broken).toBeDefined();

  io.fault = () => undefined;
  for (let index = 0; index < many; index += 100)
    io.update(io.rows[index]!, `Second words ${index}`, clock.now);
  for (let index = 50; index < many; index += 250) io.rows[index]!.deleted = true;
  const gone = io.rows.filter(({ deleted }) => deleted).length;
  const goneBeforeTheBreak = io.rows.filter(({ deleted }, index) => deleted && index < beforeTheBreak).length;
  const second = await scene.restarted().run({ token, full: true });
  expect(second.broken).toBeUndefined();
  expect(second).toMatchObject({
    imported: many - beforeTheBreak - (gone - goneBeforeTheBreak),
    total: many - gone,
  });

  // What changed before the break was passed over; the next one finds it, and the row that was not told of.
  clock.now += 3_600_000;
  lateOne.visible = true;
  lateOne.updated = clock.now;
  io.rows.push(...[0, 1, 2].map((more) => rowOf(many + more)));
  const third = await scene.restarted().run({ token });
  expect(third).toMatchObject({ imported: 4, removed: 0 });
  expect(third.broken).toBeUndefined();

  const last = await scene.restarted().run({ token, full: true });
  expect(last).toMatchObject({ imported: 0, total: many - gone + 4 });
  expect(second.removed + last.removed).toBe(goneBeforeTheBreak);
  await expectEqual();

  const again = await scene.restarted().run({ token, full: true });
  expect(again).toMatchObject({ imported: 0, updated: 0, removed: 0, total: many - gone + 4 });

  const seen = new Set<string>();
  let twice = 0;
  for await (const { source, target } of store.all()) {
    const pair = `${source} ${target}`;
    if (seen.has(pair)) twice += 1;
    seen.add(pair);
  }
  expect(twice).toBe(0);
  expect(seen.size).toBe(many - (gone - goneBeforeTheBreak) + 4);
}, 400_000);
