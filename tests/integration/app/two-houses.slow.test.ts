import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';

interface House {
  readonly porchlight: Porchlight;
  micropub(body: object): Promise<Response>;
}

/** What time it is in both houses: a test lets it go on. */
let ahead = 0;
const clock = () => Date.now() + ahead;
/** Ada's house, once it looked at a mention, takes the same one again after half a minute. */
async function letSomeTimePass(): Promise<void> {
  await ada.porchlight.call('webmentions.process', {});
  ahead += 31_000;
}

async function openHouse(me: string): Promise<House> {
  const porchlight = await startPorchlight({ me, clock });
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
/** Resolves once a post of Bo's told all whom it is to tell. */
const sentFrom = (source: string) =>
  vi.waitUntil(
    async () => {
      const deliveries = await bo.porchlight.call('webmentions.deliveries', { source });
      return deliveries.length > 0 && deliveries.every(({ state }) => state === 'sent');
    },
    { timeout: 60_000 },
  );
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

test('two servers: a reply from one appears under the post of the other, changes with it, and disappears with it', async () => {
  const post = (await ada.micropub(entry({ content: ['The lamp is on'] }))).headers.get('location') ?? '';
  const answer = await bo.micropub(entry({ content: ['Coming over!'], 'in-reply-to': [post] }));
  const reply = answer.headers.get('location') ?? '';
  await vi.waitUntil(async () => (await pageOf(post)).includes('Coming over!'), { timeout: 60_000 });
  await letSomeTimePass();
  const { items } = await ada.porchlight.call('webmentions.list', {});
  expect(items).toMatchObject([{ source: reply, target: post, type: 'reply', status: 'approved' }]);
  const api = await fetch(`${ada.porchlight.base}/webmentions?url=${encodeURIComponent(post)}`);
  expect(await api.json()).toMatchObject({ [post]: [{ source: reply, 'in-reply-to': post }] });
  await sentFrom(reply);

  await bo.micropub({ action: 'update', url: reply, replace: { content: ['Coming over at eight!'] } });
  await vi.waitUntil(async () => (await pageOf(post)).includes('at eight!'), { timeout: 60_000 });
  expect((await ada.porchlight.call('webmentions.list', {})).items).toHaveLength(1);

  await sentFrom(reply);
  await letSomeTimePass();
  await bo.micropub({ action: 'delete', url: reply });
  await vi.waitUntil(async () => !(await pageOf(post)).includes('at eight!'), { timeout: 60_000 });
  expect((await ada.porchlight.call('webmentions.list', {})).items).toMatchObject([
    { id: items[0]?.id, status: 'removed' },
  ]);
}, 180_000);

test('a draft and a private post send no webmentions, and a published draft does', async () => {
  const post = (await ada.micropub(entry({ content: ['The lamp is on'] }))).headers.get('location') ?? '';
  const reply = { content: ['Psst'], 'in-reply-to': [post] };
  const hidden = await bo.micropub(entry({ ...reply, visibility: ['private'] }));
  const draft = await bo.micropub(entry({ ...reply, 'post-status': ['draft'] }));
  const url = draft.headers.get('location') ?? '';
  for (const source of [hidden.headers.get('location') ?? '', url])
    expect(await bo.porchlight.call('webmentions.deliveries', { source })).toEqual([]);
  const published = await bo.micropub({ action: 'update', url, replace: { 'post-status': ['published'] } });
  const at = published.headers.get('location') ?? url;
  await vi.waitUntil(async () => (await ada.porchlight.call('webmentions.list', {})).items.length > 0, {
    timeout: 60_000,
  });
  expect((await ada.porchlight.call('webmentions.list', {})).items).toMatchObject([{ source: at }]);
}, 180_000);

test('WS-7 two servers that mention each other pass on new responses, and stop', async () => {
  const post = (await ada.micropub(entry({ content: ['The lamp is on'] }))).headers.get('location') ?? '';
  const made = await bo.micropub(entry({ content: ['Coming over!'], 'in-reply-to': [post] }));
  const reply = made.headers.get('location') ?? '';
  await sentFrom(reply);
  await vi.waitUntil(async () => (await pageOf(post)).includes('Coming over!'), { timeout: 60_000 });
  const link = `<a href="${reply}">Bo comes</a>`;
  await ada.micropub({ action: 'update', url: post, replace: { content: [{ html: link }] } });
  await vi.waitUntil(async () => (await pageOf(reply)).includes(post), { timeout: 60_000 });

  /** Lets what is due be sent and looked at; answers when each told the other last. */
  async function later(): Promise<string[]> {
    ahead += 11 * 60_000;
    for (const [from, to] of [
      [ada, bo],
      [bo, ada],
    ] as const) {
      // Goes after all that was due before it, to the same house.
      const there = (await to.micropub(entry({ content: ['A mark'] }))).headers.get('location') ?? '';
      const here = await from.micropub(entry({ 'like-of': [there] }));
      const source = here.headers.get('location') ?? '';
      await vi.waitUntil(
        async () => (await from.porchlight.call('webmentions.deliveries', { source }))[0]?.state === 'sent',
        { timeout: 60_000 },
      );
    }
    const last: string[] = [];
    for (const [house, source] of [
      [ada, post],
      [bo, reply],
    ] as const) {
      await house.porchlight.call('webmentions.process', {});
      const deliveries = await house.porchlight.call('webmentions.deliveries', { source });
      last.push(...deliveries.map(({ at, target }) => `${at} ${target}`));
    }
    return last;
  }

  await later();
  const quiet = await later();
  expect(await later()).toEqual(quiet);

  // A third voice under the reply: the post above it hears once, and that is that.
  await ada.micropub(entry({ content: ['Bring cake!'], 'in-reply-to': [reply] }));
  await vi.waitUntil(async () => (await pageOf(reply)).includes('Bring cake!'), { timeout: 60_000 });
  const waits = ({ state }: { state: string }) => state === 'waiting';
  await vi.waitUntil(
    async () => (await bo.porchlight.call('webmentions.deliveries', { source: reply })).some(waits),
    { timeout: 60_000 },
  );
  const [adaBefore, boBefore] = quiet;
  const [adaAfter, boAfter] = await later();
  expect(adaAfter).toBe(adaBefore);
  expect(boAfter).not.toBe(boBefore);
  expect(await later()).toEqual([adaAfter, boAfter]);
  expect((await pageOf(post)).split('Coming over!')).toHaveLength(2);
}, 270_000);
