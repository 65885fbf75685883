import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSite, page, type Site } from '../../support/client-app.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { patience } from '../../support/patience.ts';
import { post } from '../../support/sign-in.ts';

let porchlight: Porchlight;
let site: Site;
let target: string;
beforeEach(async () => {
  [porchlight, site] = await Promise.all([startPorchlight(), openSite()]);
  ({ url: target } = await porchlight.call('posts.create', {
    content: 'Hello',
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
  }));
});
afterEach(async () => {
  await porchlight.remove();
  await site.close();
});

const bo = 'https://social.example/@bo';

/** A reply by an author through a bridge, received and read. Returns its id. */
async function replied(path: string, author: string): Promise<string | undefined> {
  const reply = `<div class="h-entry"><a class="u-in-reply-to" href="${target}">this</a>
    <p class="e-content">Words ${path}</p><a class="p-author h-card" href="${author}">Somebody</a></div>`;
  site.pages.set(path, page(reply));
  const source = site.origin + path;
  await post(porchlight, '/webmention', { source, target });
  await porchlight.call('webmentions.process', {});
  return (await porchlight.call('webmentions.list', { source })).items[0]?.id;
}

/** Everything that the public and the owner see of the mentions. */
async function seen() {
  const of = encodeURIComponent(target);
  const json = async (path: string) => (await fetch(`${porchlight.base}${path}`)).json() as Promise<unknown>;
  const listed = (await json(`/webmentions?url=${of}`)) as Record<string, { source: string }[]>;
  const jf2 = (await json(`/api/mentions.jf2?target=${of}`)) as { children: unknown[] };
  const count = (await json(`/api/count?target=${of}`)) as { count: number };
  const text = await (await fetch(target)).text();
  const [about] = await porchlight.call('webmentions.pages', {});
  return {
    listed: Object.values(listed).flat().length,
    jf2: jf2.children.length,
    counted: count.count,
    onPage: ['/1', '/2', '/3'].filter((path) => text.includes(`Words ${path}`)),
    statuses: about?.statuses,
    inCharts: (await porchlight.call('webmentions.counts', {})).map(({ types }) => types.reply),
  };
}

const all = {
  listed: 3,
  jf2: 3,
  counted: 3,
  onPage: ['/1', '/2', '/3'],
  statuses: { approved: 3 },
  inCharts: [3],
};
const withoutBo = {
  listed: 1,
  jf2: 1,
  counted: 1,
  onPage: ['/1'],
  statuses: { approved: 1, hidden: 2 },
  inCharts: [1],
};

test('BR1 a blocked person is gone everywhere, stays away after a restart, and comes back when unblocked', async () => {
  await replied('/1', 'https://social.example/@ada');
  const id = (await replied('/2', bo)) ?? '';
  await replied('/3', `${bo}/`);
  expect(await seen()).toEqual(all);

  expect(
    await porchlight.call('webmentions.blockPerson', { author: 'HTTPS://social.example/@bo/#me' }),
  ).toEqual([bo]);
  expect(await seen()).toEqual(withoutBo);
  expect(await replied('/4', bo)).toBeUndefined();
  const { mention } = await porchlight.call('webmentions.get', { id });
  expect(mention).toMatchObject({ status: 'hidden', blocked: true });
  await expect(porchlight.call('webmentions.setStatus', { id, status: 'approved' })).rejects.toMatchObject({
    code: 'blocked',
  });
  const { changed, refused } = await porchlight.call('webmentions.decide', {
    ids: [id],
    decision: 'approved',
  });
  expect([changed, refused]).toEqual([[], 1]);

  await porchlight.stop();
  const { port } = new URL(porchlight.base);
  porchlight = await startPorchlight({ dataDir: porchlight.dataDir, port: Number(port) });
  expect(await seen()).toEqual(withoutBo);
  expect(await porchlight.call('webmentions.blockedPeople', {})).toEqual([bo]);
  expect(await porchlight.call('webmentions.unblockPerson', { author: bo })).toEqual([]);
  expect(await seen()).toEqual(all);
});

test('blocking a site hides its mentions, and unblocking shows them again as the owner left them', async () => {
  const [first = '', second = '', third = ''] = [
    await replied('/1', 'https://social.example/@ada'),
    await replied('/2', bo),
    await replied('/3', bo),
  ];
  await porchlight.call('webmentions.setStatus', { id: first, status: 'held' });
  const domain = new URL(site.origin).hostname;
  await porchlight.call('webmentions.blockDomain', { domain });
  expect(await seen()).toMatchObject({ listed: 0, jf2: 0, counted: 0, onPage: [], statuses: { hidden: 3 } });
  await porchlight.call('webmentions.setStatus', { id: second, status: 'hidden' });
  await porchlight.call('webmentions.delete', { id: third });
  await porchlight.call('webmentions.unblockDomain', { domain });
  await porchlight.call('webmentions.restore', { id: third });
  const statusOf = async (id: string) => (await porchlight.call('webmentions.get', { id })).mention.status;
  expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([
    'held',
    'hidden',
    'approved',
  ]);
});

test('the windows learn of each mention that a block hides', async () => {
  const id = await replied('/1', bo);
  const heard: unknown[] = [];
  porchlight.service.owner.subscribe((event) => {
    if (event.name === 'webmention.changed') heard.push([event.data.id, event.data.status]);
  });
  await porchlight.call('webmentions.blockPerson', { author: bo });
  await expect.poll(() => heard, patience).toEqual([[id, 'hidden']]);
});

test('a person is a web address', async () => {
  for (const author of ['bo', 'mailto:bo@social.example', 'javascript:alert(1)'])
    await expect(porchlight.call('webmentions.blockPerson', { author })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  expect(await porchlight.call('webmentions.blockedPeople', {})).toEqual([]);
});
