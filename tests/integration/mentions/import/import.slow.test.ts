import { describe, expect, test } from 'vitest';
import { createBlocks } from '../../../../src-main/mentions/blocked.ts';
import { pageOfTarget } from '../../../../src-main/mentions/mention.ts';
import { openImport, type ImportScene } from '../../../support/import-scene.ts';
import { memoryMentions } from '../../../support/memory-mentions.ts';
import { mentionTables } from '../../../support/memory-work.ts';
import { memoryRecords } from '../../../support/memory-records.ts';
import { rowOf, type Row } from '../../../support/webmention-io.ts';

const token = 'token-at-the-aggregator';

/** What is stored answers for what the aggregator tells: each mention once, both records whole. */
async function expectAll(scene: ImportScene): Promise<void> {
  const stored = await scene.stored();
  const there = [...stored.values()].filter(({ status }) => status === 'approved');
  const jf2 = scene.io.records('jf2');
  const json = scene.io.records('json');
  expect(there).toHaveLength(jf2.length);
  for (const record of jf2)
    expect(stored.get(record['wm-id'] as number)?.imported?.jf2).toStrictEqual(record);
  for (const record of json) expect(stored.get(record['id'] as number)?.imported?.json).toStrictEqual(record);
}

const late = (scene: ImportScene, index: number): Row => {
  const row = { ...rowOf(index + 0.5), id: rowOf(index).id + 1, visible: false };
  scene.io.rows.push(row);
  return row;
};

describe('a full import', () => {
  test('WI-30 brings every mention in both formats, whole, and asks page by page, oldest first', async () => {
    const scene = await openImport(2345);
    const counts = await scene.import.run({ token, full: true });
    const targets = new Set(scene.io.rows.map(({ target }) => target.replace(/#.*/, ''))).size;
    expect(counts).toEqual({ imported: 2345, updated: 0, removed: 0, targets, total: 2345 });
    await expectAll(scene);
    for (const request of scene.io.requests)
      expect(request).toMatch(/per-page=1000.*sort-by=created&sort-dir=up/);
  });

  test('a mention that has no room on its page is counted and reported once', async () => {
    const memory = memoryMentions();
    const full = new Set<string>();
    const hasRoom = ({ target }: { target: string }) => !full.has(pageOfTarget(target));
    const keepAll = memory.keepAll.bind(memory);
    memory.keepAll = (incoming) => keepAll(incoming.filter(hasRoom));
    const scene = await openImport(600, memory);
    const pages = scene.io.rows.map(({ target }) => pageOfTarget(target));
    const page = pages.find((one, place) => pages.indexOf(one) < place) ?? '';
    full.add(page);
    const lost = scene.io.rows.filter((row) => !hasRoom(row)).length;
    const words = `${lost} mentions of ${page} were not imported, because the page is full.`;
    expect(lost).toBeGreaterThan(1);
    const counts = await scene.import.run({ token, full: true });
    expect(counts).toMatchObject({ imported: 600 - lost, total: 600 - lost });
    expect(scene.leftOut).toEqual([words]);
    expect(scene.progress.at(-1)?.words).toContain(words);
    expect(scene.log().split(words)).toHaveLength(2);
  });

  test('WI-30 a second import changes nothing', async () => {
    const scene = await openImport(1200);
    await scene.import.run({ token, full: true });
    const before = await scene.stored();
    const counts = await scene.import.run({ token, full: true });
    expect(counts).toMatchObject({ imported: 0, updated: 0, removed: 0, total: 1200 });
    expect(await scene.stored()).toEqual(before);
  });

  test('WI-35 a mention keeps its number, when it was received, and whether it is private', async () => {
    const scene = await openImport(50);
    await scene.import.run({ token });
    const stored = await scene.stored();
    for (const row of scene.io.rows) {
      const mention = stored.get(row.id);
      expect(mention?.received).toBe(new Date(row.created).toISOString());
      expect(mention?.private).toBe(row.private);
      expect(mention).toMatchObject({ source: row.source, target: row.target, status: 'approved' });
    }
  });

  test('WI-34 a picture that the aggregator keeps a copy of is named as it tells it', async () => {
    const scene = await openImport(5);
    await scene.import.run({ token });
    const mention = (await scene.stored()).get(scene.io.rows[1]!.id);
    const archived = 'https://webmention.io/avatar/friend-1.example/a.jpg';
    expect(mention?.facts.author?.photo).toBe(archived);
    expect(mention?.imported?.jf2).toMatchObject({ author: { photo: archived } });
  });

  test.each([20, 137, 500])(
    'WI-41 WI-45 a server that gives at most %i at once is read to its end',
    async (cap) => {
      const scene = await openImport(cap * 3);
      scene.io.cap = cap;
      expect(await scene.import.run({ token })).toMatchObject({ imported: cap * 3, total: cap * 3 });
      await expectAll(scene);
    },
  );

  test('WI-33 a mention that the aggregator no longer has is removed, and comes back with it', async () => {
    const scene = await openImport(60);
    await scene.import.run({ token });
    const row = scene.io.rows[7]!;
    row.deleted = true;
    expect(await scene.import.run({ token, full: true })).toMatchObject({ removed: 1, total: 59 });
    expect((await scene.stored()).get(row.id)?.status).toBe('removed');
    expect(await scene.import.run({ token, full: true })).toMatchObject({ removed: 0 });
    row.deleted = false;
    expect(await scene.import.run({ token, full: true })).toMatchObject({ updated: 1, removed: 0 });
    await expectAll(scene);
  });

  test('WR-10 a mention that its source withdrew stays removed while the aggregator still lists it', async () => {
    const scene = await openImport(8);
    await scene.import.run({ token });
    const row = scene.io.rows[1]!;
    const { id } = (await scene.stored()).get(row.id)!;
    await scene.store.setStatus(id, 'removed', 'source');
    const statusAfter = async (full: boolean) => {
      await scene.import.run({ token, full });
      return (await scene.stored()).get(row.id)?.status;
    };
    expect(await statusAfter(false)).toBe('removed');
    expect(await statusAfter(true)).toBe('removed');
    // Its author sent it again, there.
    scene.io.update(row, 'Here once more', scene.clock.now + 60_000);
    expect(await statusAfter(false)).toBe('approved');
  });

  test('WI-33 an empty list removes nothing, even if the owner asked for a full import, and the result says so', async () => {
    const scene = await openImport(12);
    await scene.import.run({ token, full: true });
    for (const row of scene.io.rows) row.deleted = true;
    expect(await scene.import.run({ token, full: true })).toMatchObject({ removed: 0, total: 0 });
    const words =
      'The service you imported from lists no mentions now. Porchlight kept all 12 that are here. You can remove them under Webmentions.';
    expect(scene.progress.at(-1)?.words).toBe(`Read 0 mentions: 0 new, 0 changed, 0 removed. ${words}`);
    expect(scene.compared).toEqual([words]);
    expect((await scene.store.list({ limit: 20, filter: { status: 'approved' } })).items).toHaveLength(12);
  });

  test('WI-33 the owner’s decisions stay: hidden and approved mentions after any import, deleted ones forever', async () => {
    const scene = await openImport(10);
    await scene.import.run({ token });
    const [hidden, approved, deleted] = scene.io.rows.slice(0, 3);
    const stored = await scene.stored();
    await scene.store.setStatus(stored.get(hidden!.id)!.id, 'hidden', 'owner');
    await scene.store.setStatus(stored.get(approved!.id)!.id, 'approved', 'owner');
    await scene.store.setStatus(stored.get(deleted!.id)!.id, 'deleted', 'owner');
    for (const row of [hidden!, deleted!]) scene.io.update(row, 'Said again', scene.clock.now);
    await scene.import.run({ token, full: true });
    for (const row of [hidden!, approved!, deleted!]) row.deleted = true;
    expect(await scene.import.run({ token, full: true })).toMatchObject({ removed: 0 });
    const after = await scene.stored();
    expect([hidden, approved, deleted].map((row) => after.get(row!.id)?.status)).toEqual([
      'hidden',
      'approved',
      'deleted',
    ]);
  });

  test('mentions are held if the owner holds them, except those of the first import, which were shown before', async () => {
    const scene = await openImport(5);
    scene.settings.hold = 'strangers';
    scene.settings.trustedDomains = ['friend-6.example'];
    await scene.import.run({ token });
    await expectAll(scene);
    scene.io.rows.push(rowOf(6), rowOf(7));
    expect(await scene.import.run({ token })).toMatchObject({ imported: 2 });
    const stored = await scene.stored();
    expect([6, 7].map((index) => stored.get(rowOf(index).id)?.status)).toEqual(['approved', 'held']);
    await scene.import.run({ token, full: true });
    expect((await scene.stored()).get(rowOf(7).id)?.status).toBe('held');
  });

  test('mentions from a blocked site are imported but not shown', async () => {
    const records = memoryRecords(mentionTables);
    const blocks = createBlocks(records);
    await blocks.sites.add('friend-1.example');
    const scene = await openImport(3, memoryMentions(Date.now, undefined, records, blocks));
    expect(await scene.import.run({ token, full: true })).toMatchObject({ imported: 3 });
    const stored = await scene.stored();
    expect([0, 1, 2].map((index) => stored.get(rowOf(index).id)?.status)).toEqual([
      'approved',
      'hidden',
      'approved',
    ]);
  });

  test('rows that go while it reads move others between pages; none of those is lost or called removed', async () => {
    const scene = await openImport(1000);
    scene.io.cap = 300;
    scene.io.fault = (url) => {
      if (url.searchParams.get('page') === '1')
        for (const row of scene.io.rows.slice(0, 40)) row.deleted = true;
      return undefined;
    };
    expect(await scene.import.run({ token, full: true })).toMatchObject({ imported: 1000, removed: 0 });
    expect(await scene.import.run({ token, full: true })).toMatchObject({
      imported: 0,
      updated: 0,
      removed: 40,
    });
    await expectAll(scene);
  });

  test('two rows of the same source and target stay one mention', async () => {
    const scene = await openImport(5);
    const [first] = scene.io.rows;
    scene.io.rows.push({ ...first!, id: 1_000_000 + 13 * 900, created: first!.created + 1_000_000 });
    expect(await scene.import.run({ token })).toMatchObject({ imported: 5, total: 6 });
    expect(await scene.import.run({ token, full: true })).toMatchObject({
      imported: 0,
      updated: 0,
      removed: 0,
    });
    first!.deleted = true;
    expect(await scene.import.run({ token, full: true })).toMatchObject({ imported: 0, removed: 0 });
  });

  test('of one domain: mentions of other sites are neither requested nor removed', async () => {
    const scene = await openImport(0);
    for (let index = 0; index < 20; index += 1)
      scene.io.rows.push(rowOf(index, index % 2 === 0 ? 'https://owner.example' : 'https://blog.example'));
    await scene.import.run({ token });
    scene.io.rows[0]!.deleted = true;
    scene.io.rows[1]!.deleted = true;
    const counts = await scene.import.run({ token, full: true, domain: 'blog.example' });
    expect(counts).toMatchObject({ imported: 0, removed: 1, total: 9 });
    expect((await scene.stored()).get(scene.io.rows[0]!.id)?.status).toBe('approved');
  });

  test('another account does not remove the mentions of the first one', async () => {
    const scene = await openImport(30);
    await scene.import.run({ token });
    const other = await openImport(0, scene.store);
    for (let index = 100; index < 110; index += 1) other.io.rows.push(rowOf(index, 'https://second.example'));
    scene.aggregator.url = other.io.origin;
    expect(await scene.import.run({ token, full: true })).toMatchObject({ imported: 10, removed: 0 });
    await other.import.run({ token, full: true });
    expect((await scene.stored()).size).toBe(40);
  });

  test('a source that we read ourselves since says what we read, and is not removed', async () => {
    const scene = await openImport(12);
    await scene.import.run({ token });
    const row = scene.io.rows[3]!;
    const facts = { type: 'reply', property: 'in-reply-to', content: { value: 'Newer' } } as const;
    const parsed = new Date(scene.clock.now).toISOString();
    await scene.store.keep({ source: row.source, target: row.target, facts, status: 'approved', parsed });
    await scene.import.run({ token, full: true });
    expect((await scene.stored()).get(row.id)?.facts).toEqual(facts);
    row.deleted = true;
    expect(await scene.import.run({ token, full: true })).toMatchObject({ removed: 0 });
  });
});

describe('an import of what is new', () => {
  test('WI-31 asks from the highest number on, with an overlap, and finds rows that became visible late', async () => {
    const scene = await openImport(300);
    const hidden = late(scene, 150);
    await scene.import.run({ token });
    hidden.visible = true;
    hidden.updated = scene.clock.now;
    scene.io.rows.push(rowOf(300), rowOf(301));
    scene.io.requests.length = 0;
    expect(await scene.import.run({ token })).toMatchObject({ imported: 3, updated: 0 });
    expect(scene.io.requests[0]).toContain(`since_id=${rowOf(299).id - 1000}`);
    await expectAll(scene);
  });

  test('WI-32 finds updates, whose number and date do not change, and reads no further than to the last import', async () => {
    const scene = await openImport(2000);
    await scene.import.run({ token });
    const times = scene.clock.now;
    for (const index of [3, 1700, 1999])
      scene.io.update(scene.io.rows[index]!, `New words ${index}`, times + index);
    scene.io.requests.length = 0;
    expect(await scene.import.run({ token })).toMatchObject({ imported: 0, updated: 3 });
    expect(scene.io.requests.filter((request) => request.includes('sort-by=updated'))).toHaveLength(2);
    await expectAll(scene);
  });

  test('WI-32 a row that changes while a full import is past it is found by the next one', async () => {
    const scene = await openImport(2500);
    scene.io.fault = (url) => {
      scene.clock.now += 60_000;
      if (url.searchParams.get('page') === '2')
        scene.io.update(scene.io.rows[0]!, 'Meanwhile', rowOf(2499).updated - 1000);
      return undefined;
    };
    await scene.import.run({ token });
    scene.io.fault = () => undefined;
    expect(await scene.import.run({ token })).toMatchObject({ imported: 0, updated: 1 });
    await expectAll(scene);
  });
});

describe('an import that is broken off', () => {
  test.each(['reset', 500, 429, 'garbage'] as const)(
    'keeps its mentions, says so, and continues where it was: %s',
    async (fault) => {
      const scene = await openImport(1000);
      scene.io.cap = 200;
      scene.io.fault = (url) => (url.searchParams.get('page') === '3' ? fault : undefined);
      const broken = await scene.import.run({ token, full: true });
      expect(broken).toMatchObject({ imported: 600, total: 600 });
      expect(broken.broken).toMatch(/^The (other server|aggregator) /);
      expect(broken).not.toHaveProperty('refused');
      expect(scene.progress.at(-1)).toMatchObject({ state: 'failed', words: broken.broken });
      if (fault !== 'garbage') expect(scene.pauses).toEqual([500, 2000, 5000]);

      scene.io.fault = () => undefined;
      scene.io.requests.length = 0;
      const counts = await scene.restarted().run({ token });
      expect(counts).toMatchObject({ imported: 400, updated: 0, removed: 0, total: 1000 });
      expect(scene.io.requests[0]).toContain('page=2&');
      expect(scene.io.requests.filter((request) => request.includes('.jf2'))).toHaveLength(4);
      await expectAll(scene);
    },
  );

  test('a short break passes unnoticed: it asks again after a pause', async () => {
    const scene = await openImport(1500);
    let faults = 0;
    scene.io.fault = (_url, number) => (number === 3 && (faults += 1) === 1 ? 'reset' : undefined);
    expect(await scene.import.run({ token })).toMatchObject({ imported: 1500 });
    expect(scene.pauses).toEqual([500]);
    await expectAll(scene);
  });

  test('rows before the point of continuation are found, and so are rows that moved to pages already read', async () => {
    const scene = await openImport(1000);
    scene.io.cap = 200;
    scene.io.fault = (url) => (url.searchParams.get('page') === '4' ? 500 : undefined);
    await scene.import.run({ token });
    scene.io.fault = () => undefined;
    for (const row of scene.io.rows.slice(0, 500)) row.deleted = true;
    const counts = await scene.import.run({ token });
    expect(counts.broken).toBeUndefined();
    expect(counts).toMatchObject({ imported: 200, total: 500 });
    const next = await scene.import.run({ token, full: true });
    expect([counts.removed, next.removed, next.wouldRemove]).toEqual([0, 0, 500]);
    expect(await scene.import.removals.apply(next.id ?? '')).toBe(500);
    await expectAll(scene);
  });

  test('a refused token is no break to wait for: it is said at once', async () => {
    const scene = await openImport(10);
    const result = await scene.import.run({ token: 'wrong' });
    expect(result).toEqual({
      imported: 0,
      updated: 0,
      removed: 0,
      targets: 0,
      total: 0,
      broken: 'The aggregator does not accept this token.',
      refused: true,
    });
    expect(scene.pauses).toEqual([]);
    expect(scene.io.requests).toHaveLength(1);
  });

  test('an address without an aggregator is reported with a message', async () => {
    const scene = await openImport(10);
    scene.io.fault = () => 404;
    expect((await scene.import.run({ token })).broken).toBe(
      'The aggregator’s address does not return a list of mentions. Check the address in the settings.',
    );
  });

  test('an aggregator with only one format gives what it has', async () => {
    const scene = await openImport(1300);
    scene.io.fault = (url) => (url.pathname.endsWith('.json') ? 404 : undefined);
    expect(await scene.import.run({ token })).toMatchObject({ imported: 1300, total: 1300 });
    for (const { imported } of (await scene.stored()).values()) expect(imported?.jf2).toBeDefined();
    expect(await scene.import.run({ token, full: true })).toMatchObject({ updated: 0, removed: 0 });
  });

  test('stopping ends it at once and keeps the pages that are stored; the next one reads the rest', async () => {
    const scene = await openImport(1000);
    scene.io.cap = 250;
    let stopped: Promise<void> | undefined;
    scene.io.fault = (url) => {
      if (url.searchParams.get('page') === '2') stopped ??= scene.import.stop();
      return undefined;
    };
    scene.io.delay = 5;
    const result = await scene.import.run({ token });
    await stopped;
    expect(result).toMatchObject({ imported: 500, broken: expect.stringContaining('stopped') as string });
    expect(await scene.restarted().run({ token })).toMatchObject({ imported: 500, total: 1000 });
    await expectAll(scene);
  });

  test('a stopped import stays stopped: it requests nothing more, and says why', async () => {
    const scene = await openImport(10);
    await scene.import.stop();
    expect(await scene.import.run({ token, full: true })).toMatchObject({
      imported: 0,
      broken: 'Porchlight is closing.',
    });
    expect(scene.io.requests).toEqual([]);
  });

  test('a mention that cannot be stored is an error of this server, not of the aggregator', async () => {
    const scene = await openImport(10);
    scene.store.keepAll = () => Promise.reject(new Error('The disk is full.'));
    await expect(scene.import.run({ token })).rejects.toThrow('The disk is full.');
    expect(scene.progress.at(-1)?.state).toBe('failed');
  });
});

describe('while it runs', () => {
  test('a second call joins the run', async () => {
    const scene = await openImport(100);
    const [one, two] = await Promise.all([
      scene.import.run({ token, full: true }),
      scene.import.run({ token }),
    ]);
    expect(two).toBe(one);
    expect(scene.io.requests.filter((request) => request.includes('.jf2?'))).toHaveLength(2);
  });

  test('a token that joins is called accepted too, before the answer and after it', async () => {
    const scene = await openImport(20);
    const accepted: string[] = [];
    const asked = (name: string) =>
      scene.import.run({
        token,
        full: true,
        accepted: () => {
          accepted.push(name);
          return Promise.resolve();
        },
      });
    let late: Promise<unknown> | undefined;
    scene.io.fault = (url) => {
      if (url.pathname.endsWith('.json')) late ??= asked('late');
      return undefined;
    };
    await Promise.all([asked('one'), asked('two')]);
    await late;
    expect(accepted).toEqual(['one', 'two', 'late']);
  });

  test('a catch-up gives way to a token that the owner gives: the answer is about that one', async () => {
    const scene = await openImport(20);
    let accepted = 0;
    const old = scene.import.run({ token: 'old' });
    const given = scene.import.run({
      token,
      full: true,
      accepted: () => {
        accepted += 1;
        return Promise.resolve();
      },
    });
    expect(await old).toMatchObject({ imported: 0, broken: expect.stringContaining('stopped') as string });
    expect(await given).toEqual({ imported: 20, updated: 0, removed: 0, targets: 20, total: 20 });
    expect(accepted).toBe(1);

    const again = scene.import.run({ token });
    const wrong = scene.import.run({ token: 'wrong', full: true });
    expect(await wrong).toMatchObject({ imported: 0, refused: true });
    expect((await again).refused).toBeUndefined();
  });

  test('an import that the owner asked for finishes before one of another account begins', async () => {
    const scene = await openImport(20);
    const [one, two] = await Promise.all([
      scene.import.run({ token, full: true }),
      scene.import.run({ token: 'another', full: true }),
    ]);
    expect(one).toMatchObject({ imported: 20 });
    expect(one.broken).toBeUndefined();
    expect(two).toMatchObject({ imported: 0, refused: true });
  });

  test('stopping ends what waits for its turn as well', async () => {
    const scene = await openImport(20);
    const one = scene.import.run({ token, full: true });
    const two = scene.import.run({ token: 'another', full: true });
    await scene.import.stop();
    expect((await one).broken).toContain('stopped');
    expect((await two).broken).toBe('Porchlight is closing.');
  });

  test('progress is reported first, last, and at most every 200 ms between', async () => {
    const scene = await openImport(600);
    scene.io.cap = 100;
    scene.io.fault = () => {
      scene.clock.now += 30; // two requests a page: 60 ms
      return undefined;
    };
    await scene.import.run({ token });
    const { progress } = scene;
    expect(progress[0]).toEqual({
      state: 'running',
      done: 0,
      total: null,
      words: 'Asking for your mentions…',
    });
    expect(progress.at(-1)).toEqual({
      state: 'done',
      done: 600,
      total: 600,
      words: 'Read 600 mentions: 600 new, 0 changed, 0 removed.',
    });
    expect(progress.slice(1, -1).map(({ done }) => done)).toEqual([100, 500]);
  });

  test('WI-5 it asks for JSON, and its token is in no log, no error and no file', async () => {
    const scene = await openImport(1200);
    scene.io.fault = (url) => (url.searchParams.get('page') === '1' ? 'reset' : undefined);
    const broken = await scene.import.run({ token });
    expect(broken.imported).toBe(1000);
    expect(scene.log()).toContain('broken off');
    expect(scene.log() + JSON.stringify([broken, scene.progress])).not.toContain(token);
  });
});
