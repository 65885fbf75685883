import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectError, jsonOf } from '../../support/answers.ts';
import { openMicropub, type MicropubServer } from '../../support/micropub-server.ts';
import { runs } from '../../support/runs.ts';

const urlencoded = { type: 'application/x-www-form-urlencoded' };
const hour = 3_600_000;

let server: MicropubServer;
beforeAll(async () => {
  server = await openMicropub({ zone: () => zone });
});
afterAll(() => server.close());

let zone = 'UTC';
const inZone = (name: string) => void (zone = name);

/** The dates of a new post, as apps read them. */
async function dated(properties: object) {
  const url = await server.create({ content: ['x'], ...properties });
  return (await server.source(url)).properties;
}
const refused = async (properties: object) => {
  const before = server.changes.length;
  const response = await server.send({ properties: { content: ['x'], ...properties } });
  await expectError(response, 400, 'invalid_request');
  expect(server.changes).toHaveLength(before);
};

describe('MP-30 the dates that an app sends', () => {
  test.each([
    ['2027-06-01T09:00:00+02:00', '2027-06-01T09:00:00+02:00'],
    ['20270601T090000Z', '2027-06-01T09:00:00Z'],
    ['20270601T0900Z', '2027-06-01T09:00:00Z'],
    ['2027-06-01T09:00Z', '2027-06-01T09:00:00Z'],
    ['2027-06-01 09:00:00.1234567890123-0330', '2027-06-01T09:00:00.123456789-03:30'],
    ['20270601 090000.5+05', '2027-06-01T09:00:00.5+05:00'],
    ['2027-06-01', '2027-06-01T00:00:00+02:00'],
    ['20270601', '2027-06-01T00:00:00+02:00'],
    ['2027-12-01T09:00', '2027-12-01T09:00:00+01:00'],
    ['2027-06-01T24:00:00', '2027-06-02T00:00:00+02:00'],
    ['2027-12-31T24:00Z', '2028-01-01T00:00:00Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00Z'],
    ['2027-06-01T09:00:00+14:00', '2027-06-01T09:00:00+14:00'],
    ['2027-06-01T09:00:00-14', '2027-06-01T09:00:00-14:00'],
    ['2024-02-29', '2024-02-29T00:00:00+01:00'],
    ['2000-02-29T00:00Z', '2000-02-29T00:00:00Z'],
  ])('%s is read', async (given, stored) => {
    inZone('Europe/Berlin');
    for (const name of ['published', 'updated', 'start', 'end'])
      expect(await dated({ [name]: [given] }), name).toMatchObject({ [name]: [stored] });
  });

  test.each([
    '2027-06-01T09:00:00+25:00',
    '2027-06-01T09:00:00+14:01',
    '2027-06-01T09:00:00+1:00',
    '2027-6-1 09:00',
    'next monday',
    '2023-02-29',
    '1900-02-29',
    '2027-04-31',
    '2027-13-01',
    '2027-00-01',
    '2027-06-00',
    '2027-06-01T25:00:00',
    '2027-06-01T24:00:01',
    '2027-06-01T24:01',
    '2027-06-01T09:60',
    '2027-06-01T09:00:61Z',
    '2027-W22-2',
    '2027-W22',
    '2027-152',
    '2027152',
    '2027-06',
    '2027',
    '202706',
    '2027-06-01T',
    '2027-06-01T09',
    '2027-06-01  09:00',
    '2027-06-01T9:00',
    '2027-06-01T09:00:00 PDT',
    '2027-06-01+02:00',
    '+002027-06-01',
    '10000-01-01',
    '-0001-01-01',
    '9999-12-31T24:00:00Z',
    '1796115600',
    'Tue, 01 Jun 2027 09:00:00 GMT',
    '06/01/2027',
    '２０２７-06-01',
    '0000-01-01T00:00:00+14:00',
    ' ',
    '{}',
  ])('%j in published and updated: 400', async (given) => {
    for (const name of ['published', 'updated']) {
      await refused({ [name]: [given] });
      await refused({ [name]: given, 'post-status': ['draft'] });
      const form = await server.send(`content=x&${name}=${encodeURIComponent(given)}`, urlencoded);
      await expectError(form, 400, 'invalid_request');
    }
  });

  test.each([
    { published: 1_796_115_600_000 },
    { published: {} },
    { published: [{ value: '2027-06-01' }] },
    { published: [['2027-06-01']] },
    { published: [null] },
    { published: true },
    { published: '' },
    { published: [''] },
  ])('%j is no date: 400', (properties) => refused(properties));

  test('two dates of publication: 400', async () => {
    await refused({ published: ['2027-06-01', '2027-06-02'] });
    const form = await server.send('content=x&published[]=2027-06-01&published[]=2027-06-02', urlencoded);
    await expectError(form, 400, 'invalid_request');
  });

  test('in start and end, other text is kept unchanged, and is shown', async () => {
    const times = { start: ['next monday at nine'], end: ['2027-W22-2', { value: 'late' }] };
    expect(await dated({ name: ['Fair'], ...times })).toMatchObject(times);
  });

  test('any date with an offset keeps its moment, in every spelling', async () => {
    inZone('America/New_York');
    const two = (number: number) => String(number).padStart(2, '0');
    const written = fc
      .record({
        at: fc.integer({ min: Date.UTC(1000, 0), max: Date.UTC(9990, 0) }).map((ms) => ms - (ms % 1000)),
        minutes: fc.integer({ min: -840, max: 840 }),
        isBasicDate: fc.boolean(),
        isBasicTime: fc.boolean(),
        isBasicOffset: fc.boolean(),
        separator: fc.constantFrom('T', ' '),
      })
      .map(({ at, minutes, isBasicDate, isBasicTime, isBasicOffset, separator }) => {
        const [date = '', time = ''] = new Date(at + minutes * 60_000).toISOString().slice(0, 19).split('T');
        const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map(two);
        const text = [
          isBasicDate ? date.replaceAll('-', '') : date,
          separator,
          isBasicTime ? time.replaceAll(':', '') : time,
          minutes < 0 ? '-' : '+',
          hours,
          isBasicOffset ? '' : ':',
          rest,
        ].join('');
        return { at, text };
      });
    await fc.assert(
      fc.asyncProperty(written, async ({ at, text }) => {
        const [stored] = (await dated({ published: [text] })).published ?? [];
        expect(Date.parse(stored as string)).toBe(at);
      }),
      { numRuns: runs(60) },
    );
  });
});

describe('MP-30 a date without an offset', () => {
  test('M06 is the owner’s local time: the app’s local now is public at once', async () => {
    inZone('Asia/Tokyo');
    server.clock.now = Date.parse('2026-11-27T02:14:39+09:00');
    const url = await server.create({ content: ['Now'], published: ['2026-11-27T02:14:39'] });
    expect((await server.source(url)).properties.published).toEqual(['2026-11-27T02:14:39+09:00']);
    const query = `q=source&url=${encodeURIComponent(url)}`;
    expect((await server.query(query, 'profile@other')).status).toBe(200);
  });

  test.each([
    // Skipped times move forward by the gap; of times that exist twice, the first counts.
    ['Europe/Berlin', '2027-03-28T02:30', '2027-03-28T03:30:00+02:00'],
    ['Europe/Berlin', '2027-10-31T02:30', '2027-10-31T02:30:00+02:00'],
    ['Europe/Berlin', '2027-10-31T03:00', '2027-10-31T03:00:00+01:00'],
    ['America/New_York', '2027-03-14T02:00:00', '2027-03-14T03:00:00-04:00'],
    ['America/New_York', '2027-11-07T01:59:59.5', '2027-11-07T01:59:59.5-04:00'],
    ['Australia/Lord_Howe', '2026-10-04T02:15', '2026-10-04T02:45:00+11:00'],
    ['Pacific/Apia', '2011-12-30', '2011-12-31T00:00:00+14:00'],
    ['America/Santiago', '2026-09-06', '2026-09-06T01:00:00-03:00'],
    ['Asia/Kathmandu', '2027-01-01T12:00', '2027-01-01T12:00:00+05:45'],
    ['Europe/London', '2027-01-01T12:00', '2027-01-01T12:00:00Z'],
  ])('in %s, %s is %s', async (name, given, stored) => {
    inZone(name);
    for (const property of ['published', 'start'])
      expect(await dated({ [property]: given })).toMatchObject({ [property]: [stored] });
  });
});

describe('MP-40 MP-42 a date in an update', () => {
  const published = '2026-11-19T12:00:00Z';
  const update = (url: string, change: object) => server.send({ action: 'update', url, ...change });

  test('is read as in a new post', async () => {
    inZone('Asia/Tokyo');
    const url = await server.create({ content: ['x'], published: [published] });
    expect((await update(url, { replace: { published: ['20261118T0900'] } })).ok).toBe(true);
    expect((await server.source(url)).properties).toMatchObject({ published: ['2026-11-18T09:00:00+09:00'] });
    expect((await update(url, { add: { updated: ['2026-11-20'], start: ['soon'] } })).ok).toBe(true);
    expect((await server.source(url)).properties).toMatchObject({
      updated: ['2026-11-20T00:00:00+09:00'],
      start: ['soon'],
    });
  });

  test.each([
    { replace: { published: ['next monday'] } },
    { replace: { published: ['2027-06-01', '2027-06-02'] } },
    { replace: { published: [20270601] } },
    { replace: { updated: [{}] } },
    { add: { published: ['2027-06-01'] } },
    { replace: { content: ['y'] }, add: { updated: ['2023-02-29'] } },
  ])('%j: 400, and the post stays unchanged', async (change) => {
    const url = await server.create({ content: ['x'], published: [published] });
    const before = await server.source(url);
    await expectError(await update(url, change), 400, 'invalid_request');
    expect(await server.source(url)).toEqual(before);
  });

  test('that is deleted becomes the current time with the owner’s offset', async () => {
    inZone('America/New_York');
    server.clock.now = Date.parse('2026-11-27T12:00:00Z');
    const url = await server.create({ content: ['x'], published: [published] });
    await update(url, { delete: ['published'] });
    expect((await server.source(url)).properties.published).toEqual(['2026-11-27T07:00:00.000-05:00']);
  });

  test('of an existing post stays, whatever else changes', async () => {
    inZone('Asia/Tokyo');
    const old = { published: ['2026-11-19T12:00:00'], updated: ['next monday'] };
    const { path } = await server.posts.create(
      {
        type: ['h-entry'],
        properties: { content: ['x'], ...old },
        commands: {},
        status: 'published',
        visibility: 'public',
      },
      { now: server.clock.now },
    );
    const url = server.base + path;
    expect((await update(url, { replace: { content: ['y'] } })).ok).toBe(true);
    expect((await server.source(url)).properties).toMatchObject({ content: ['y'], ...old });
    const shown = (await jsonOf(await server.query(`q=source&url=${encodeURIComponent(url)}`))) as object;
    expect((await update(url, { replace: (shown as { properties: object }).properties })).ok).toBe(true);
    expect((await server.source(url)).properties).toMatchObject(old);
  });
});

describe('MP-30 a post without a date', () => {
  test.each([
    ['UTC', '2026-11-20T12:00:00.000Z'],
    ['Asia/Tokyo', '2026-11-20T21:00:00.000+09:00'],
    ['America/St_Johns', '2026-11-20T08:30:00.000-03:30'],
  ])('gets the current time with the offset of %s', async (name, stored) => {
    inZone(name);
    server.clock.now = Date.parse('2026-11-20T12:00:00Z');
    expect(await dated({})).toMatchObject({ published: [stored] });
    const url = await server.create({ content: ['x'], 'post-status': ['draft'] });
    expect((await server.source(url)).properties).not.toHaveProperty('published');
    const change = { replace: { 'post-status': ['published'] } };
    const { headers } = await server.send({ action: 'update', url, ...change });
    const { properties } = await server.source(headers.get('location') ?? url);
    expect(properties).toMatchObject({ published: [stored] });
  });

  test('is never scheduled, not even in an hour that exists twice', async () => {
    inZone('Europe/Berlin');
    for (
      let at = Date.parse('2027-10-30T22:00:00Z');
      at < Date.parse('2027-10-31T04:00:00Z');
      at += hour / 4
    ) {
      server.clock.now = at;
      const [stored] = (await dated({})).published ?? [];
      expect(Date.parse(stored as string)).toBe(at);
    }
  });
});
