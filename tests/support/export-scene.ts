import type { MethodName, Params, Result } from '../../src-main/contract/contract.ts';
import { page, type Site } from './client-app.ts';
import { photo } from './pictures.ts';

/** A running server: in this process, or the built program. */
export interface ExportHouse {
  readonly base: string;
  call<M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>>;
}

/** The slugs of the seven posts that `fillExport` makes, one of each kind. */
export const exportedSlugs = ['article', 'lamp', 'answer', 'book', 'song', 'party', 'diary'] as const;

/** Posts as an app does. Returns the post's URL. */
async function postAsApp(
  house: ExportHouse,
  slug: string,
  properties: Readonly<Record<string, unknown[]>>,
): Promise<string> {
  const { token } = await house.call('apps.issueToken', { label: 'app', scopes: ['create'] });
  const response = await fetch(`${house.base}/micropub`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: ['h-entry'], properties: { ...properties, 'mp-slug': [slug] } }),
  });
  if (response.status !== 201) throw new Error(await response.text());
  return response.headers.get('location') ?? '';
}

/** Mentions a page from somebody's site: the reply `name`. */
async function mentionFrom(house: ExportHouse, site: Site, name: string, target: string): Promise<void> {
  const card = `<a class="p-author h-card" href="${site.origin}/">Bo</a>`;
  site.pages.set(
    `/${name}`,
    page(
      `<title>${name}</title><div class="h-entry">${card}<a class="u-in-reply-to" href="${target}">to</a><time class="dt-published" datetime="2026-11-02T09:00:00+01:00"></time><div class="e-content"><p>Reply <b>${name}</b></p></div></div>`,
    ),
  );
  const response = await fetch(`${house.base}/webmention`, {
    method: 'POST',
    body: new URLSearchParams({ source: `${site.origin}/${name}`, target }),
  });
  if (!response.ok) throw new Error(await response.text());
  await house.call('webmentions.process', {});
}

/**
 * Fills a server with what an export contains: seven posts of different kinds, files, a page, and mentions from `site`
 * that are approved, held, hidden and deleted.
 */
export async function fillExport(house: ExportHouse, site: Site): Promise<void> {
  const picture = await photo(60, 40).png().toBuffer();
  const upload = async (name: string) =>
    (await house.call('media.upload', { name, data: picture.toString('base64') })).url;
  const lamp = await upload('lamp.png');
  await upload('unused.png');
  const article = await house.call('posts.create', {
    text: `A **lamp**.\n\n![Brass](${lamp})`,
    format: 'markdown',
    name: 'On lamps',
    slug: 'article',
    summary: 'In short',
    status: 'published',
    visibility: 'public',
    published: '2025-03-01T10:00:00+01:00',
    categories: ['porch', 'Licht'],
    photos: [],
  });
  await house.call('posts.update', { url: article.url, summary: 'Shorter' });
  await postAsApp(house, 'lamp', {
    photo: [{ value: lamp, alt: 'A brass lamp' }],
    content: ['Lit'],
    syndication: ['https://social.example/@ada/1'],
    published: ['2025-04-01T10:00:00+01:00'],
  });
  await postAsApp(house, 'answer', {
    'in-reply-to': ['https://bo.example/post'],
    content: [{ html: '<p>Yes, <a href="https://bo.example/">Bo</a></p>' }],
    'mp-syndicate-to': ['https://social.example/'],
  });
  await postAsApp(house, 'book', {
    'read-of': [{ type: ['h-cite'], properties: { name: ['The Left Hand'], author: ['Le Guin'] } }],
    'read-status': ['finished'],
  });
  await postAsApp(house, 'song', { 'listen-of': ['https://music.example/song'] });
  await postAsApp(house, 'party', { rsvp: ['yes'], 'in-reply-to': ['https://bo.example/party'] });
  await postAsApp(house, 'diary', { content: ['Nobody reads this'], visibility: ['private'] });
  await house.call('settings.update', {
    site: { pages: [{ slug: 'now', title: 'Now', text: `Reading.\n\n![Lamp](${lamp})` }] },
  });
  const moved = await postAsApp(house, 'before', { content: ['Moved'], published: ['2025-05-01T10:00:00Z'] });
  await mentionFrom(house, site, 'old', moved);
  await house.call('posts.update', { url: moved, slug: 'after' });
  for (const name of ['shown', 'waiting', 'hidden', 'deleted'])
    await mentionFrom(house, site, name, article.url);
  const { items } = await house.call('webmentions.list', { limit: 100 });
  for (const { id, source } of items) {
    const name = source.slice(source.lastIndexOf('/') + 1);
    if (name === 'deleted') await house.call('webmentions.delete', { id });
    else if (name !== 'waiting')
      await house.call('webmentions.setStatus', { id, status: name === 'hidden' ? 'hidden' : 'approved' });
  }
}

/** Everything that an export contains, with the server's own address left out, so that two servers can be compared. */
export async function contentsOf(house: ExportHouse) {
  const { items } = await house.call('posts.list', { limit: 500 });
  const names = new Map(
    (await house.call('media.list', { limit: 500 })).items.map(({ url, name }) => [
      new URL(url).pathname,
      name,
    ]),
  );
  const plain = <T>(value: T): T => {
    let text = JSON.stringify(value).replaceAll(house.base, 'https://here.example');
    for (const [path, name] of names) text = text.replaceAll(path, `/media/${name}`);
    return JSON.parse(text) as T;
  };
  const posts = await Promise.all(
    items.map(async ({ url }) => {
      const { post } = await house.call('posts.get', { url });
      // A date that nobody gave matters only on the computer whose clock gave it. For the ids, see feedIdsOf.
      const { createdBy: _app, updatedAt: _changed, ownDate: _own, feedId: _feedId, ...rest } = post;
      const versions = (await house.call('posts.history', { url })).items;
      return { ...rest, versions: versions.map(({ id: _id, ...version }) => version) };
    }),
  );
  const mentions = (await house.call('webmentions.list', { limit: 500 })).items;
  const { site } = await house.call('settings.get', {});
  return plain({
    posts: posts.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    files: [...names.values()].toSorted(),
    mentions: mentions
      .map(({ id: _id, admission: _why, ...mention }) => mention)
      .toSorted((a, b) => (a.source < b.source ? -1 : 1)),
    pages: site.pages,
  });
}

/** Returns the id that each listed post has in feeds, by path. */
export async function feedIdsOf(house: ExportHouse): Promise<Record<string, string | undefined>> {
  const { items } = await house.call('posts.list', { limit: 500 });
  const posts = await Promise.all(
    items.map(async ({ url }) => (await house.call('posts.get', { url })).post),
  );
  return Object.fromEntries(posts.map(({ path, feedId }) => [path, feedId]));
}
