import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startPorchlight, type Porchlight } from '../support/porchlight.ts';

interface House {
  readonly porchlight: Porchlight;
  micropub(body: object): Promise<Response>;
}

async function openHouse(me: string): Promise<House> {
  const porchlight = await startPorchlight({ me });
  const { token } = await porchlight.call('apps.issueToken', {
    label: 'Client',
    scopes: ['create', 'update', 'delete'],
  });
  return {
    porchlight,
    async micropub(body) {
      const response = await fetch(`${porchlight.base}/micropub`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(response.ok).toBe(true);
      return response;
    },
  };
}

const entry = (properties: object) => ({ type: ['h-entry'], properties });
const pageOf = (url: string) => fetch(url).then((response) => response.text());

let ada: House;
let bo: House;

beforeEach(async () => {
  [ada, bo] = await Promise.all([openHouse('https://ada.example/'), openHouse('https://bo.example/')]);
});

afterEach(async () => {
  await ada.porchlight.remove();
  await bo.porchlight.remove();
});

// The receiving house takes the same pair again after half a minute: so this takes a while.
test('two houses: a reply from one appears under the post of the other, changes with it, and goes with it', async () => {
  const post = (await ada.micropub(entry({ content: ['The lamp is on'] }))).headers.get('location') ?? '';
  const answer = await bo.micropub(entry({ content: ['Coming over!'], 'in-reply-to': [post] }));
  const reply = answer.headers.get('location') ?? '';
  await vi.waitUntil(async () => (await pageOf(post)).includes('Coming over!'), { timeout: 20_000 });
  const { items } = await ada.porchlight.call('webmentions.list', {});
  expect(items).toMatchObject([{ source: reply, target: post, type: 'reply', status: 'approved' }]);
  const api = await fetch(`${ada.porchlight.base}/webmentions?url=${encodeURIComponent(post)}`);
  expect(await api.json()).toMatchObject({ [post]: [{ source: reply, 'in-reply-to': post }] });
  await vi.waitUntil(
    async () => (await bo.porchlight.call('webmentions.deliveries', { source: reply }))[0]?.state === 'sent',
    { timeout: 20_000 },
  );

  await bo.micropub({ action: 'update', url: reply, replace: { content: ['Coming over at eight!'] } });
  await vi.waitUntil(async () => (await pageOf(post)).includes('at eight!'), { timeout: 90_000 });
  expect((await ada.porchlight.call('webmentions.list', {})).items).toHaveLength(1);

  await bo.micropub({ action: 'delete', url: reply });
  await vi.waitUntil(async () => !(await pageOf(post)).includes('at eight!'), { timeout: 90_000 });
  expect((await ada.porchlight.call('webmentions.list', {})).items).toMatchObject([
    { id: items[0]?.id, status: 'removed' },
  ]);
}, 240_000);

test('a draft and a private post tell nobody, a published draft does', async () => {
  const post = (await ada.micropub(entry({ content: ['The lamp is on'] }))).headers.get('location') ?? '';
  const reply = { content: ['Psst'], 'in-reply-to': [post] };
  await bo.micropub(entry({ ...reply, visibility: ['private'] }));
  const draft = await bo.micropub(entry({ ...reply, 'post-status': ['draft'] }));
  const url = draft.headers.get('location') ?? '';
  expect(await bo.porchlight.call('webmentions.deliveries', { source: url })).toEqual([]);
  const published = await bo.micropub({ action: 'update', url, replace: { 'post-status': ['published'] } });
  const at = published.headers.get('location') ?? url;
  await vi.waitUntil(async () => (await ada.porchlight.call('webmentions.list', {})).items.length > 0, {
    timeout: 20_000,
  });
  expect((await ada.porchlight.call('webmentions.list', {})).items).toMatchObject([{ source: at }]);
}, 60_000);
