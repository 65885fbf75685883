import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonOf } from '../../../support/answers.ts';
import {
  fullToken,
  markdownApp,
  openMicropub,
  type MicropubServer,
} from '../../../support/micropub-server.ts';

let server: MicropubServer;
beforeAll(async () => {
  server = await openMicropub();
});
afterAll(() => server.close());

const token = `${fullToken}@${markdownApp}`;
const text = 'A *new* lamp, see [the porch](https://porch.example/).';
const html = '<p>A <em>new</em> lamp, see <a href="https://porch.example/">the porch</a>.</p>';

const stored = () => server.changes.at(-1)!.post;
const update = (url: string, change: object) => server.send({ action: 'update', url, ...change }, { token });
async function contentFor(url: string, token: string): Promise<unknown> {
  const answer = await server.query(`q=source&url=${encodeURIComponent(url)}`, token);
  return ((await jsonOf(answer)) as { properties: { content?: unknown } }).properties.content;
}

test('an app that the owner chose sends Markdown, and edits the same Markdown later', async () => {
  const url = await server.create({ content: [text] }, token);
  expect(stored()).toMatchObject({ properties: { content: [{ html }] }, markdown: text });
  expect(await contentFor(url, token)).toEqual([text]);
  expect(await contentFor(url, fullToken)).toEqual([{ html }]);
  const list = (await jsonOf(await server.query('q=source&limit=1', token))) as { items: unknown[] };
  expect(list.items[0]).toMatchObject({ properties: { content: [text] } });

  expect((await update(url, { replace: { content: ['**Two**'] } })).status).toBe(204);
  expect(stored()).toMatchObject({
    properties: { content: [{ html: '<p><strong>Two</strong></p>' }] },
    markdown: '**Two**',
  });
  expect((await update(url, { replace: { name: ['A lamp'] } })).status).toBe(204);
  expect(stored().markdown).toBe('**Two**');
  expect((await update(url, { delete: ['content'] })).status).toBe(204);
  expect(stored().markdown).toBeUndefined();
  expect((await update(url, { add: { content: [text] } })).status).toBe(204);
  expect(stored()).toMatchObject({ properties: { content: [{ html }] }, markdown: text });
});

test('a form is read in the same way', async () => {
  await server.send(new URLSearchParams({ h: 'entry', content: text }), { token });
  expect(stored()).toMatchObject({ properties: { content: [{ html }] }, markdown: text });
});

test('HTML from such an app stays HTML, and an empty text stays empty', async () => {
  await server.create({ content: [{ html: '<p>*as it is*</p>' }] }, token);
  expect(stored().properties.content).toEqual([{ html: '<p>*as it is*</p>' }]);
  expect(stored().markdown).toBeUndefined();
  await server.create({ content: [''], photo: ['https://porch.example/p.jpg'] }, token);
  expect(stored().markdown).toBeUndefined();
});

test('the plain text of all other apps stays unchanged', async () => {
  await server.create({ content: [text] });
  expect(stored().properties.content).toEqual([text]);
  expect(stored().markdown).toBeUndefined();
});
