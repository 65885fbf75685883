import { openBrowser } from './browser.ts';
import { openSite, page, type Site } from './client-app.ts';
import type { HeadlessProcess } from './headless-process.ts';
import { scriptUrls, xssPayloads } from './xss-payloads.ts';
import { authorizationUrl, redeem, signInRequest, type SignInRequest } from './sign-in.ts';

/** Where pages must not send a browser, and where other people's pages stand. */
export interface XssScene {
  readonly house: HeadlessProcess;
  readonly canary: Site;
  /** Where the apps are. */
  readonly apps: Site;
  /** Other people's sites, on addresses of their own. */
  readonly sites: readonly Site[];
  /** An app's token with all scopes. */
  readonly token: string;
}

const count = xssPayloads.length;
export const allPayloads = Array.from({ length: count }, (_, index) => index);

/** The mark by which the text of a payload in a field is found on a page. `field`: three letters. */
export const markOf = (index: number, field: string) => `xm${index}${field}z`;

export async function openXssScene(house: HeadlessProcess): Promise<XssScene> {
  const { token } = await house.call('apps.issueToken', {
    label: 'An app',
    scopes: ['create', 'update', 'delete', 'undelete', 'media'],
  });
  const hosts = Array.from({ length: 12 }, (_, index) => `127.0.0.${index + 2}`);
  return {
    house,
    canary: await openSite(),
    apps: await openSite(),
    sites: await Promise.all(hosts.map((host) => openSite(host))),
    token,
  };
}

/** The text of a payload for a field, which begins with its mark. */
function textOf({ canary }: XssScene, index: number, field: string): string {
  return `${markOf(index, field)} ${filled(canary, xssPayloads[index] ?? '', index)}`;
}

/** An address for a field: a script's in some, in the others one that ends an attribute. */
function addressOf({ canary }: XssScene, index: number, field: string): string {
  const script = scriptUrls[index % (2 * scriptUrls.length)];
  if (script !== undefined) return filled(canary, script, index);
  return `${canary.origin}/${markOf(index, field)}?${filled(canary, xssPayloads[index] ?? '', index)}`;
}

function filled({ origin }: Site, payload: string, index: number): string {
  return payload
    .replaceAll('%C', `canary(${index})`)
    .replaceAll('%H', origin)
    .replaceAll('%h', new URL(origin).host);
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll('\u0000', '');

/** Runs work for each payload, a few at a time. */
export async function forEachPayload(work: (index: number) => Promise<unknown>, atOnce = 6): Promise<void> {
  const left = [...allPayloads];
  const worker = async () => {
    for (let index = left.shift(); index !== undefined; index = left.shift()) await work(index);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

const kinds = [
  'in-reply-to',
  'repost-of',
  'like-of',
  'bookmark-of',
  'read-of',
  'photo',
  'video',
  'audio',
  'none',
];

/** An app posts: each payload in each property. Resolves with the addresses of the posts. */
export async function plantPosts(scene: XssScene): Promise<string[]> {
  const { canary } = scene;
  const addresses: string[] = [];
  const create = async (type: string, properties: Record<string, unknown>) =>
    addresses.push(await createPost(scene, type, properties));
  await forEachPayload(async (index) => {
    const text = (field: string) => textOf(scene, index, field);
    const address = (field: string) => addressOf(scene, index, field);
    const card = (field: string) => ({
      type: ['h-card'],
      properties: {
        name: [text(field)],
        url: [address('url')],
        locality: [text('lcl')],
        latitude: [text('lat')],
        longitude: [text('lon')],
      },
    });
    await create('h-entry', {
      name: [text('nam')],
      summary: [text('sum')],
      content: [{ html: text('cht') }],
      category: [text('cat')],
      photo: [{ value: `${canary.origin}/photo-${index}.jpg`, alt: text('alt') }],
      syndication: [address('syn')],
      start: [text('sta')],
      rsvp: [text('rsv')],
      checkin: [card('chk')],
      location: [card('loc')],
      'mp-slug': [text('slg')],
      published: ['2020-11-20T10:00:00Z'],
      'x-own': [text('own')],
    });
    const kind = kinds[index % kinds.length] ?? '';
    const cite = {
      type: ['h-cite'],
      properties: {
        name: [text('cit')],
        url: [`${canary.origin}/cited/${index}`],
        author: [card('cau')],
        content: [{ html: text('cco') }],
      },
    };
    await create('h-entry', {
      content: [text('ctx')],
      category: [text('ctg')],
      'in-reply-to': [cite],
      published: ['2020-11-19T10:00:00Z'],
      ...(kind !== 'none' && { [kind]: [kind.includes('-') ? cite : address('med')] }),
    });
  });
  return addresses;
}

/** A post that holds each payload several times over: feeds show the newest posts only. */
export async function plantWholePost(scene: XssScene): Promise<string> {
  const text = (field: string) => allPayloads.map((index) => textOf(scene, index, field));
  return createPost(scene, 'h-entry', {
    name: [text('wna').join('\n')],
    summary: [text('wsu').join('\n')],
    content: [text('wco').join('\n')],
    category: text('wca'),
  });
}

async function createPost(
  { house, token }: XssScene,
  type: string,
  properties: Record<string, unknown>,
): Promise<string> {
  const response = await fetch(`${house.ready.baseUrl}/micropub`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: [type], properties }),
  });
  if (response.status !== 201) throw new Error(`A post was refused: ${await response.text()}`);
  return response.headers.get('location') ?? '';
}

/** Pages that answer a post, each with a payload in each property. Resolves with their addresses. */
export async function plantMentions(scene: XssScene, target: string): Promise<string[]> {
  const { house, sites } = scene;
  const statuses: string[] = [];
  await forEachPayload(async (index) => {
    const text = (field: string) => escaped(textOf(scene, index, field));
    const address = (field: string) => escaped(addressOf(scene, index, field));
    const site = sites[index % sites.length] as Site;
    const path = `/mention-${index}`;
    site.pages.set(
      path,
      page(`<!doctype html><meta charset=utf-8><title>${text('mti')}</title><div class=h-entry>
        <a class=u-in-reply-to href="${target}">re</a> <p class=p-name>${text('mna')}</p>
        <p class="p-author h-card"><a class="u-url p-name" href="${address('mur')}">${text('mau')}</a>
        <img class=u-photo src="${address('mph')}"></p> <a class=u-syndication href="${address('msy')}">s</a>
        <p class=p-summary>${text('msu')}</p> <data class=p-rsvp value="${text('mrs')}"></data>
        <div class=e-content>${textOf(scene, index, 'mht')}</div></div>`),
    );
    const response = await fetch(`${house.ready.baseUrl}/webmention`, {
      method: 'POST',
      headers: visitorOf(scene, index),
      body: new URLSearchParams({ source: site.origin + path, target }),
    });
    if (response.status !== 201) throw new Error(`A mention was refused: ${await response.text()}`);
    statuses.push(response.headers.get('location') ?? '');
  });
  return statuses;
}

/** What a visitor says of itself: the payload, in the headers that this server reads. */
function visitorOf(scene: XssScene, index: number): Record<string, string> {
  // What HTTP does not carry in a header is left out.
  const header = textOf(scene, index, 'hdr').replace(/[^\x20-\x7e]/g, '');
  // Everybody from a network of their own: what is no address counts as no visitor named, and these share limits.
  const network = `2001:db8:${index.toString(16)}::1`;
  return { 'user-agent': header, 'cf-connecting-ip': network, referer: header };
}

/** Mentions that an aggregator tells of, each with a payload in each field. */
export async function plantImports(scene: XssScene, target: string): Promise<void> {
  const { house, canary } = scene;
  const aggregator = await openSite('127.0.0.20');
  const properties = ['in-reply-to', 'like-of', 'repost-of', 'bookmark-of', 'rsvp', 'mention-of'];
  const record = (index: number, format: 'jf2' | 'json') => {
    const text = (field: string) => textOf(scene, index, field);
    const address = (field: string) => addressOf(scene, index, field);
    const source = `${canary.origin}/imported/${index}`;
    const author = { type: 'card', name: text('iau'), url: address('iur'), photo: address('iph') };
    const rsvp = text('irs');
    if (format === 'json')
      return {
        id: index + 1,
        source,
        target,
        private: false,
        verified_date: '2026-11-01T10:00:00Z',
        data: {
          author,
          url: address('iad'),
          name: text('ina'),
          content: text('iht'),
          published: text('ipu'),
          rsvp,
        },
        activity: { type: text('iac') },
      };
    const property = properties[index % properties.length] ?? '';
    return {
      type: 'entry',
      author,
      name: text('ina'),
      url: address('iad'),
      published: text('ipu'),
      rsvp,
      'wm-id': index + 1,
      'wm-source': source,
      'wm-target': target,
      'wm-property': property,
      'wm-received': '2026-11-01T10:00:00Z',
      'wm-private': false,
      'wm-protocol': text('ipr'),
      syndication: [address('isy')],
      photo: [address('ipo')],
      content: { html: text('iht'), text: text('itx') },
    };
  };
  for (const [format, list] of [
    ['jf2', 'children'],
    ['json', 'links'],
  ] as const)
    aggregator.pages.set(`/api/mentions.${format}`, (request, response) => {
      const asked = new URL(request.url ?? '/', aggregator.origin).searchParams;
      const size = Number(asked.get('per-page') ?? 20);
      const start = Number(asked.get('page') ?? 0) * size;
      const since = Number(asked.get('since_id') ?? 0);
      const found = allPayloads.filter((index) => index + 1 > since);
      const some = (asked.get('sort-dir') === 'up' ? found : found.reverse()).slice(start, start + size);
      const body = JSON.stringify({ type: 'feed', [list]: some.map((index) => record(index, format)) });
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
  await house.call('settings.update', { webmention: { aggregatorUrl: aggregator.origin } });
  const { imported } = await house.call('webmentions.import', {
    aggregatorToken: 'a-token-at-the-aggregator',
  });
  if (imported !== count) throw new Error(`Of ${count} mentions, ${imported} were imported.`);
  await aggregator.close();
}

/** Uploads files with a payload in the name and in the bytes. Resolves with the addresses of those that were taken. */
export async function plantFiles(scene: XssScene, png: Uint8Array): Promise<string[]> {
  const { house, token } = scene;
  const addresses: string[] = [];
  await forEachPayload(async (index) => {
    const payload = textOf(scene, index, 'fil');
    const bodies: readonly (readonly [type: string, ending: string, body: string | Uint8Array])[] = [
      ['image/png', 'png', Buffer.concat([png, Buffer.from(payload)])],
      [
        'image/svg+xml',
        'svg',
        `<svg xmlns="http://www.w3.org/2000/svg" onload="canary(${index})">${payload}</svg>`,
      ],
      ['text/plain', 'txt', payload],
      ['text/html', 'html', payload],
      ['application/pdf', 'pdf', `%PDF-1.7\n${payload}`],
    ];
    // A sender's folders are no part of a name, so each part of it begins with the mark.
    const name = payload.replace(/[/\\]/g, (slash) => `${slash}${markOf(index, 'fil')} `);
    for (const [type, ending, body] of index % 16 === 0 ? bodies : bodies.slice(0, 1)) {
      const form = new FormData();
      form.set('file', new Blob([new Uint8Array(Buffer.from(body))], { type }), `${name}.${ending}`);
      const response = await fetch(`${house.ready.baseUrl}/media`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: form,
      });
      if (response.status === 201) addresses.push(response.headers.get('location') ?? '');
      else if (type === 'image/png') throw new Error(`A picture was refused: ${await response.text()}`);
    }
  });
  return addresses;
}

/** An app whose description is made of a payload, as far as it asked to sign in. */
export interface AskedSignIn {
  /** The pages that its visitor saw. */
  readonly pages: readonly string[];
  /** The owner has approved: the visitor goes back, and the app has its token. */
  finish(): Promise<void>;
}

/** Asks to sign in to the app of a payload. */
export async function askToSignIn(scene: XssScene, index: number): Promise<AskedSignIn> {
  const { house, apps } = scene;
  const text = (field: string) => textOf(scene, index, field);
  const { origin, pages } = apps;
  const clientId = `${origin}/client-${index}`;
  const redirectUri = `${clientId}/${encodeURI(markOf(index, 'red'))}`;
  const description = {
    client_id: clientId,
    client_name: text('cna'),
    client_uri: `${origin}/`,
    redirect_uris: [redirectUri],
    logo_uri: addressOf(scene, index, 'log'),
    tos_uri: addressOf(scene, index, 'tos'),
  };
  pages.set(`/client-${index}`, page(JSON.stringify(description), { 'content-type': 'application/json' }));
  const scope = text('sco')
    .replace(/[^\x21\x23-\x5b\x5d-\x7e]|\+/g, '_')
    .slice(0, 100);
  const request: SignInRequest = signInRequest(origin, {
    client_id: clientId,
    redirect_uri: redirectUri,
    state: text('ste'),
    scope: `profile ${scope}`,
  });
  const base = house.ready.baseUrl;
  const browser = openBrowser(base, visitorOf(scene, index));
  const asked = await (await browser.open(authorizationUrl(base, request))).text();
  const pressed = await browser.press(asked);
  const address = pressed.headers.get('location') ?? '';
  const waiting = await (await browser.open(address)).text();
  return {
    pages: [asked, waiting],
    async finish() {
      const back = new URL((await browser.open(address)).headers.get('location') ?? '');
      if (back.origin !== origin) throw new Error(`The browser was sent to ${back.origin}.`);
      const { status } = await redeem({ base }, request, back.searchParams);
      if (status !== 200) throw new Error(`The code of app ${index} was refused.`);
    },
  };
}

/** The answers that repeat what a visitor sent: each payload in each address and form that is echoed. */
export async function echoesOf(scene: XssScene, index: number): Promise<Response[]> {
  const { house, apps } = scene;
  const text = textOf(scene, index, 'ech');
  const value = encodeURIComponent(text);
  const base = house.ready.baseUrl;
  const form = new URLSearchParams({
    source: textOf(scene, index, 'src'),
    target: textOf(scene, index, 'tgt'),
  });
  const { parameters, ...request } = signInRequest(apps.origin);
  const auth = (change: Record<string, string>) =>
    authorizationUrl(base, { ...request, parameters: { ...parameters, ...change } });
  const addresses = [
    `${base}/webmention?${form.toString()}`,
    `${base}/categories/${encodeURIComponent(textOf(scene, index, 'cat'))}`,
    `${base}/posts/${value}`,
    `${base}/${value}`,
    `${base}/api/mentions.json?target=x&jsonp=${value}`,
    auth({ client_id: text }),
    auth({ redirect_uri: text }),
    auth({ client_id: `${apps.origin}/client-${index}`, state: text, response_type: text }),
  ];
  const headers = { accept: 'text/html', ...visitorOf(scene, index) };
  const options = { headers, redirect: 'manual' } as const;
  return Promise.all([
    ...addresses.map((address) => fetch(address, options)),
    fetch(`${base}/webmention`, { method: 'POST', body: form, ...options }),
  ]);
}
