import path from 'node:path';
import { mkdir } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Mention } from '../../../src-main/mentions/mention.ts';
import { mediaTable } from '../../../src-main/media/media-rows.ts';
import { mentionTable } from '../../../src-main/mentions/mention-table.ts';
import { citedTable } from '../../../src-main/site/cited-pages.ts';
import { activityTable } from '../../../src-main/storage/records/activity.ts';
import { rowsIn, withClosedRecords } from '../../../src-main/storage/records/closed-records.ts';
import { cellsOf, insertInto } from '../../../src-main/storage/records/record-table.ts';
import { forgedBackup } from '../../support/forged-backup.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const target = 'https://owner.example/hello';
const moment = '2026-11-20T08:00:00.000Z';
const script = 'javascript:alert(1)';

/** A mention that nobody could have sent: it would run code wherever a page inserts it. */
const hostile = (id: string, more: Partial<Mention> = {}): Mention => ({
  id,
  wmId: 1,
  source: `https://evil.example/${id}`,
  target,
  received: moment,
  parsed: moment,
  facts: {
    type: 'reply',
    property: 'in-reply-to',
    url: script,
    name: 'One\nline\u0000',
    author: { name: 'Eve', url: script, photo: 'data:text/html,x' },
    content: {
      html: `<p onclick="x()">Hello</p><script>alert(1)</script><a href="${script}">x</a>`,
      value: 'Hello',
    },
    photo: [script, 'https://evil.example/p.png'],
    syndication: [script],
  },
  status: 'approved',
  chosen: true,
  history: [{ at: 'never', what: 'received' }],
  ...more,
});

const imported = hostile('imported', {
  wmId: 2,
  imported: {
    jf2: {
      'wm-id': 2,
      'wm-source': script,
      'wm-target': target,
      content: { html: '<script>alert(2)</script>' },
      author: { url: script },
    },
    json: { id: 2, source: 'https://evil.example/imported', target, data: { url: script, next: script } },
  },
});

const lines = (...rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const rowOf = (mention: Mention) => ({ format: 1, id: mention.id, mention: JSON.stringify(mention) });

async function start(): Promise<{ home: string; porchlight: Porchlight }> {
  const home = await temporaryFolder();
  const dataDir = path.join(home, 'data');
  await mkdir(dataDir);
  const porchlight = await startPorchlight({ dataDir });
  onTestFinished(() => porchlight.stop());
  return { home, porchlight };
}

/** What everybody gets about the mentions of the page, in every format. */
async function givenOut(base: string): Promise<string> {
  const asked = `target=${encodeURIComponent(target)}`;
  const paths = [
    `/webmentions?url=${encodeURIComponent(target)}`,
    ...['jf2', 'json', 'atom', 'html'].map((format) => `/api/mentions.${format}?${asked}`),
  ];
  const answers = await Promise.all(paths.map((one) => fetch(`${base}${one}`)));
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  return (await Promise.all(answers.map((one) => one.text()))).join('\n');
}

const dangers = /<script|javascript:|onclick|data:text/i;

test('content of a restored backup is cleaned like that of a received mention', async () => {
  const { home, porchlight } = await start();
  const file = path.join(home, 'forged.zip');
  await forgedBackup(file, {
    'records/mentions.jsonl': lines(
      rowOf(hostile('m1')),
      rowOf(imported),
      rowOf(hostile('m2', { source: script })),
      rowOf(hostile('m3', { target: script })),
      rowOf(hostile('m4', { wmId: Number.MAX_SAFE_INTEGER })),
    ),
    'records/cited_pages.jsonl': lines({
      format: 1,
      url: 'https://a.example/',
      page: JSON.stringify({ name: 'A', author: { name: 'Eve', url: script } }),
    }),
    'records/media.jsonl': lines({
      format: 1,
      path: '/media/2026/11/AAAAAAAAAAAAAAAAAAAAAA-a.png',
      gone: 2,
      name: 'a.png',
      type: 'text/html',
      kind: 'document',
      bytes: 1,
      width: null,
      height: null,
      uploaded_at: moment,
      copy_of: null,
      uploaded_by: null,
      measured: 0,
    }),
    'records/activity.jsonl': lines(
      { format: 1, seq: 1, id: 'a', at: moment, kind: 'x', words: 'x', sign_in: null },
      { format: 1, seq: Number.MAX_SAFE_INTEGER, id: 'b', at: moment, kind: 'x', words: 'x', sign_in: null },
      { format: 1, seq: 3, id: 'c', at: 'never', kind: 'x', words: 'x', sign_in: null },
    ),
  });
  const { problems } = await porchlight.call('data.restore', { path: file });
  expect(problems.join('\n')).toContain('3 of the rows of “mentions” can’t be read and are left out.');
  expect(problems.join('\n')).toContain('2 of the rows of “activity” can’t be read and are left out.');
  await porchlight.call('data.applyRestore', { accept: [] });
  await porchlight.stop();
  const restored = await startPorchlight({ dataDir: porchlight.dataDir });
  onTestFinished(() => restored.stop());
  const text = await givenOut(restored.base);
  expect(text).toContain('https://evil.example/m1');
  expect(text).toContain('https://evil.example/imported');
  expect(text).not.toMatch(dangers);
  await restored.stop();
  const [cited] = await rowsIn(porchlight.dataDir, citedTable);
  expect(JSON.parse(cited?.page ?? '')).toEqual({ name: 'A', author: { name: 'Eve', url: '' } });
  expect((await rowsIn(porchlight.dataDir, mediaTable)).map(({ type, kind }) => [type, kind])).toEqual([
    ['image/png', 'image'],
  ]);
  expect((await rowsIn(porchlight.dataDir, activityTable)).map(({ id }) => id)).toContain('a');
});

test('content is cleaned once more before it is shown, whatever the database contains', async () => {
  const { porchlight } = await start();
  await porchlight.stop();
  await withClosedRecords(porchlight.dataDir, [mentionTable], (database) => {
    const insert = database.prepare(insertInto(mentionTable));
    for (const mention of [hostile('m1'), imported])
      insert.run(...cellsOf(mentionTable, { id: mention.id, mention: JSON.stringify(mention) }));
  });
  const again = await startPorchlight({ dataDir: porchlight.dataDir });
  onTestFinished(() => again.stop());
  const text = await givenOut(again.base);
  expect(text).toContain('https://evil.example/m1');
  expect(text).not.toMatch(dangers);
});
