import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Params } from '../../../src-main/contract/contract.ts';
import { readPage } from '../../../src-main/untrusted/pages/web-page.ts';
import { openSite } from '../../support/client-app.ts';
import {
  openCrossPostingServices,
  say,
  type CrossPostingServices,
} from '../../support/cross-posting-services.ts';
import { patience } from '../../support/patience.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { signInRequest, tokensFor } from '../../support/sign-in.ts';

let porchlight: Porchlight;
let there: CrossPostingServices;
beforeEach(async () => {
  [porchlight, there] = await Promise.all([startPorchlight(), openCrossPostingServices()]);
  await porchlight.call('settings.update', {
    micropub: {
      syndicateTo: [
        { uid: there.bridgy, name: 'Mastodon' },
        { uid: there.indieNews, name: 'IndieNews' },
        { uid: 'shelf', name: 'Only for apps' },
      ],
    },
  });
});
afterEach(async () => {
  await porchlight.remove();
  await there.close();
});

const note = async (over: Partial<Params<'posts.create'>> = {}) => {
  const { url } = await porchlight.call('posts.create', {
    text: 'Fog again.',
    format: 'plain',
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
    syndicateTo: [there.bridgy],
    ...over,
  });
  return url;
};
const deliveries = (source: string) => porchlight.call('webmentions.deliveries', { source });
const settled = async (source: string, count = 1) => {
  await vi.waitUntil(async () => {
    const all = await deliveries(source);
    return all.length === count && all.every(({ state }) => state !== 'waiting');
  }, patience);
  return deliveries(source);
};
const pageAt = async (url: string) => (await fetch(url)).text();
const syndicationOf = async (url: string) => {
  const [entry] = readPage({ text: await pageAt(url), url, linkHeader: null }).items;
  return entry?.properties['syndication'] ?? [];
};
const stored = async (url: string) => (await porchlight.call('posts.get', { url })).post;

describe('a note with cross-posting targets', () => {
  test('goes to Bridgy Publish and IndieNews, and its page links to both copies', async () => {
    const url = await note({ syndicateTo: [there.bridgy, there.indieNews, 'shelf'] });
    expect(await settled(url, 2)).toMatchObject([
      { target: there.bridgy, state: 'sent', words: 'Cross-posted to mastodon.example.' },
      { target: there.indieNews, state: 'sent', words: 'Cross-posted to indienews.example.' },
    ]);
    expect((await syndicationOf(url)).toSorted()).toEqual([there.story, there.toot].toSorted());
    const text = await pageAt(url);
    expect(text).toContain(
      `<a class="u-syndication" rel="syndication" href="${there.toot}">mastodon.example</a>`,
    );
    expect(text).toContain(`<a class="u-category" href="${there.indieNews}" hidden></a>`);
    expect(there.notifications()).toHaveLength(2);
    expect((await stored(url)).editedAt).toBeUndefined();
    expect(porchlight.events).toContainEqual({ name: 'post.changed', data: { url, change: 'updated' } });
  });

  test('that an app posts goes there too', async () => {
    const app = await openSite();
    app.pages.set('/', (_request, response) => void response.end('<title>App</title>'));
    const { access_token: token } = await tokensFor(porchlight, signInRequest(app.origin));
    const answer = await fetch(`${porchlight.base}/micropub`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: new URLSearchParams({ h: 'entry', content: 'Fog.', 'mp-syndicate-to': there.bridgy }),
    });
    const url = answer.headers.get('location') ?? '';
    await settled(url);
    expect(await syndicationOf(url)).toEqual([there.toot]);
    await app.close();
  });

  test('NE05b keeps its link when it is edited, and nothing is sent a second time', async () => {
    const page = there.add('/page');
    const url = await note({ text: `Fog at ${page}` });
    const before = await settled(url, 2);
    await porchlight.call('posts.update', { url, text: `Fog, and rain, at ${page}` });
    // The page that the post links to is notified of the edit.
    await vi.waitUntil(() => there.received.length === 3, patience);
    const after = await settled(url, 2);
    const ofBridgy = ({ target }: { target: string }) => target === there.bridgy;
    expect(after.find(ofBridgy)).toEqual({ ...before.find(ofBridgy), title: 'Fog, and rain, at' });
    expect(there.notifications().filter((one) => one.endsWith('/publish/mastodon'))).toHaveLength(1);
    expect((await stored(url)).properties['syndication']).toEqual([there.toot]);
  });

  test('shows a refusal with the service’s words, and is sent again when the owner retries', async () => {
    let isReady = false;
    there.endpoint('/publish/mastodon/webmention', (response) => {
      if (isReady) say(response, 201, { url: there.toot }, there.toot);
      else say(response, 400, { error: 'Could not find a <b>Mastodon</b> account for owner.example.' });
    });
    const url = await note();
    expect(await settled(url)).toMatchObject([
      {
        state: 'failed',
        words:
          'The other server did not accept it (400): “Could not find a <b>Mastodon</b> account for owner.example.”',
      },
    ]);
    expect(await syndicationOf(url)).toEqual([]);
    isReady = true;
    await porchlight.call('webmentions.retryDelivery', { source: url, target: there.bridgy });
    expect(await settled(url)).toMatchObject([{ state: 'sent' }]);
    expect(await syndicationOf(url)).toEqual([there.toot]);
  });

  test.each([
    ['a draft', { status: 'draft' }],
    ['a private post', { visibility: 'private' }],
    ['an unlisted post', { visibility: 'unlisted' }],
  ] as const)('isn’t sent while it is %s, and is sent once it is public', async (_, over) => {
    const url = await note(over);
    expect(await deliveries(url)).toEqual([]);
    expect(await pageAt(url)).not.toContain(there.bridgy);
    expect(there.site.requests).toEqual([]);
    const published = await porchlight.call('posts.update', {
      url,
      status: 'published',
      visibility: 'public',
    });
    await settled(published.url);
    expect(await syndicationOf(published.url)).toEqual([there.toot]);
  });

  test('a note isn’t sent to an address that the owner doesn’t offer, and its page has no link there', async () => {
    const elsewhere = there.add('/elsewhere');
    const url = await note({ syndicateTo: [elsewhere, 'shelf'] });
    expect(await deliveries(url)).toEqual([]);
    expect(await pageAt(url)).not.toContain(elsewhere);
    expect(there.site.requests).toEqual([]);
  });
});

test('the owner can undo the publication of a draft after it was cross-posted, and the link to the copy stays', async () => {
  const draft = await note({ status: 'draft' });
  const { url, version } = await porchlight.call('posts.update', { url: draft, status: 'published' });
  await settled(url);
  expect(await syndicationOf(url)).toEqual([there.toot]);
  const { items } = await porchlight.call('posts.history', { url });
  expect(items).toHaveLength(1);
  const id = items[0]?.id ?? '';
  const undone = await porchlight.call('posts.restoreVersion', { url, id, ifVersion: version });
  expect(undone.status).toBe('draft');
  const again = await porchlight.call('posts.update', { url: undone.url, status: 'published' });
  expect(await syndicationOf(again.url)).toEqual([there.toot]);
});

test('when the owner removes a target, pages no longer link to it', async () => {
  const url = await note();
  await settled(url);
  expect(await pageAt(url)).toContain(there.bridgy);
  await porchlight.call('settings.update', { micropub: { syndicateTo: [] } });
  expect(await pageAt(url)).not.toContain(there.bridgy);
  expect(await syndicationOf(url)).toEqual([there.toot]);
});

describe('the address of a copy', () => {
  /** Publishes a note that a stand-in of Bridgy answers in this way. */
  const answered = async (status: number, location: string | undefined) => {
    there.endpoint('/publish/mastodon/webmention', (response) => say(response, status, {}, location));
    const url = await note();
    const [delivery] = await settled(url);
    return { url, delivery };
  };

  test.each([
    ['the owner’s own site', 'https://owner.example/notes/1'],
    ['this server', () => `${porchlight.base}/posts/1`],
    ['this computer', 'https://localhost/1'],
    ['an IP address', 'https://192.168.1.1/1'],
    ['a local network', 'https://printer.local/1'],
    ['a name without a dot', 'https://intranet/1'],
    ['an unencrypted page', 'http://mastodon.example/@ada/1'],
    ['a script', 'javascript:alert(1)'],
    ['a URL with a password', 'https://ada:secret@mastodon.example/1'],
    ['no URL', 'https://'],
    ['an endless URL', `https://mastodon.example/${'a'.repeat(3000)}`],
  ])('the address of a copy isn’t shown if it is on %s', async (_, location) => {
    const { url, delivery } = await answered(201, typeof location === 'string' ? location : location());
    expect(delivery?.state).toBe('sent');
    expect(delivery?.words).toMatch(/^Sent\. /);
    expect((await stored(url)).properties['syndication']).toBeUndefined();
  });

  test.each([
    ['202', 202],
    ['500', 500],
    ['303', 303],
  ])('the address of a copy isn’t taken from an answer with status %s', async (_, status) => {
    there.endpoint('/publish/mastodon/webmention', (response) => say(response, status, {}, there.toot));
    const url = await note();
    await vi.waitUntil(
      async () => !['', 'Waiting to be sent.'].includes((await deliveries(url))[0]?.words ?? ''),
      patience,
    );
    expect((await stored(url)).properties['syndication']).toBeUndefined();
  });

  test('the address of a copy isn’t taken from another site, to which the service redirects', async () => {
    const other = await openSite();
    other.pages.set('/webmention', (_request, response) => say(response, 201, {}, there.toot));
    const { url, delivery } = await answered(307, `${other.origin}/webmention`);
    expect(other.requests).toEqual(['POST /webmention']);
    expect(delivery?.words).toMatch(/^Sent\. /);
    expect((await stored(url)).properties['syndication']).toBeUndefined();
    await other.close();
  });

  test('isn’t taken from a page that an ordinary webmention was sent to', async () => {
    const page = there.add('/page', (response) => say(response, 201, {}, there.toot));
    const url = await note({ text: `See ${page}`, syndicateTo: [] });
    await settled(url);
    expect((await stored(url)).properties['syndication']).toBeUndefined();
  });

  test('NE05b never replaces the first one of the same service, even if the owner sends the post again', async () => {
    const { url } = await answered(201, there.toot);
    expect(await syndicationOf(url)).toEqual([there.toot]);
    const again = 'https://mastodon.example/@ada/2';
    there.endpoint('/publish/mastodon/webmention', (response) => say(response, 201, {}, again));
    await porchlight.call('webmentions.retryDelivery', { source: url, target: there.bridgy });
    await vi.waitUntil(() => there.received.length === 2, patience);
    expect(await settled(url)).toMatchObject([{ copy: there.toot }]);
    expect(await syndicationOf(url)).toEqual([there.toot]);
  });
});
