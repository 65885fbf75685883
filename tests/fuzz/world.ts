import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSite, page, type Site } from '../support/client-app.ts';
import { hiddenFields, openBrowser } from '../support/browser.ts';
import {
  authorizationUrl,
  ask,
  redeem,
  signIn,
  signInRequest,
  tokensFor,
  type Asked,
} from '../support/sign-in.ts';
import { openWebmentionIo } from '../support/webmention-io.ts';
import type { ProbedProcess } from '../support/probed-process.ts';
import { writeHostileFiles } from './hostile-files.ts';
import type { Secret } from './oracles.ts';

/** What requests name: tokens, addresses and ids of this run, by fixed names, so that a request can be sent to another. */
export type Values = Record<string, string>;

/** The server's surroundings: somebody's site, an aggregator, an owner who answers, and an app with all its tokens. */
export interface World {
  /** Changes while the run goes on: codes and proofs are used up. */
  readonly values: Values;
  /** Everything that no answer and no log line may hold, with who may know it. */
  readonly secrets: readonly Secret[];
  /** Sign-ins of before make room, and codes and refresh tokens that were used up are replaced. */
  tend(): Promise<void>;
  close(): Promise<void>;
}

const sources = 40;
const scopes = ['create', 'update', 'delete', 'undelete', 'media', 'read', 'draft', 'profile', 'email'];

/** Opens the surroundings of a running program and gets its tokens through the owner's calls. */
export async function openWorld(house: ProbedProcess, seed: number): Promise<World> {
  const site = await openSite();
  const aggregator = await openWebmentionIo(30);
  const asked: Asked = { base: house.ready.baseUrl, call: (method, params) => house.call(method, params) };
  const secrets: Secret[] = [];
  const values: Values = {};
  let visitor = 0;

  fillSite(site, house.ready.baseUrl);
  await house.call('settings.update', {
    webmention: { aggregatorUrl: aggregator.origin, hosts: ['owner.example', '127.0.0.1'] },
  });

  function keepSecret(name: string, text: string): void {
    secrets.push({ name, text });
    values[name] = text;
  }

  /** A browser whose network has not asked before: what is meant to work is not to meet a rate limit. */
  function freshBrowser() {
    visitor += 1;
    return openBrowser(asked.base, { 'cf-connecting-ip': `2001:db9:${visitor.toString(16)}::1` });
  }

  async function useUp(): Promise<void> {
    for (const { id } of await house.call('signIns.list', {}))
      await house.call('signIns.deny', { id }).catch(gone);
    const request = signInRequest(site.origin, { scope: 'create profile email' });
    const browser = freshBrowser();
    const shown = await (await browser.open(authorizationUrl(asked.base, request))).text();
    const { request: query = '', proof = '' } = hiddenFields(shown);
    Object.assign(values, { authQuery: query, proof, cookie: [...browser.cookies.values()].join('') });
    const tokenRequest = signInRequest(site.origin, { scope: 'create' });
    const tokens = await tokensFor(asked, tokenRequest);
    keepSecret('grantAccess', tokens.access_token);
    keepSecret('grantRefresh', tokens.refresh_token);
    const codeRequest = signInRequest(site.origin, { scope: 'create profile' });
    const answer = await signIn(asked, codeRequest);
    Object.assign(values, { code: answer.get('code') ?? '', verifier: codeRequest.verifier });
    const waiting = await ask(asked, signInRequest(site.origin), freshBrowser());
    Object.assign(values, {
      waitingId: waiting.id,
      waitingCookie: [...waiting.browser.cookies.values()].join(''),
    });
  }

  const issued = await house.call('apps.issueToken', { label: 'Fuzzer', scopes });
  const readOnly = await house.call('apps.issueToken', { label: 'Fuzzer, reading', scopes: ['read'] });
  keepSecret('fullToken', issued.token);
  keepSecret('readToken', readOnly.token);
  const large = await house.call('apps.issueToken', {
    label: 'Fuzzer, large posts',
    scopes: ['create', 'delete'],
  });
  keepSecret('largeToken', large.token);
  keepSecret('managementToken', house.ready.managementToken);
  keepSecret('ownerKey', house.ready.ownerKey);
  for (const text of await keysOnDisk(house.dataDir))
    if (text !== house.ready.managementToken) secrets.push({ name: 'key on disk', text });
  secrets.push({ name: 'data folder', text: house.dataDir, ownerMayKnow: true });

  const hostileFiles = await mkdtemp(path.join(tmpdir(), 'porchlight-fuzz-files-'));
  await writeHostileFiles(hostileFiles, seed);
  const used = signInRequest(site.origin);
  await redeem(asked, used, await signIn(asked, used));
  Object.assign(values, {
    me: 'https://owner.example/',
    clientId: `${site.origin}/`,
    redirectUri: `${site.origin}/callback`,
    challenge: used.parameters['code_challenge'] ?? '',
    source: `${site.origin}/source-1`,
    target: 'https://owner.example/page-1',
    site: site.origin,
    hostileFiles,
    aggregatorToken: aggregator.token,
    picture: `${site.origin}/picture.gif`,
    ...(await firstThings(house.ready.baseUrl, issued.token)),
  });
  await useUp();

  return {
    values,
    secrets,
    tend: useUp,
    close: async () => {
      await Promise.all([site.close(), aggregator.close(), rm(hostileFiles, { recursive: true })]);
    },
  };
}

/** A sign-in that was settled in the meantime is fine. */
function gone(): undefined {
  return undefined;
}

/** A post, a file and a mention that requests can name. */
async function firstThings(base: string, token: string): Promise<Values> {
  const headers = { authorization: `Bearer ${token}`, 'cf-connecting-ip': '2001:db8:eeee::1' };
  const body = new URLSearchParams({ h: 'entry', content: 'The first post', category: 'fuzz' });
  const post = await fetch(`${base}/micropub`, { method: 'POST', headers, body });
  const file = new FormData();
  file.set('file', new Blob([Buffer.from('GIF89a')], { type: 'image/gif' }), 'first.gif');
  const media = await fetch(`${base}/media`, { method: 'POST', headers, body: file });
  const postUrl = post.headers.get('location') ?? '';
  const mediaUrl = media.headers.get('location') ?? '';
  if (postUrl === '') throw new Error(`The first post was refused: ${post.status} ${await post.text()}`);
  return { postUrl, mediaUrl };
}

/** Pages that mention others, an app's page, and a picture. */
function fillSite(site: Site, base: string): void {
  const app = '<div class="h-app"><a class="u-url p-name" href="/">Fuzzer</a></div>';
  site.pages.set('/', page(`<title>Fuzzer</title><link rel="redirect_uri" href="/callback">${app}`));
  for (let number = 0; number < sources; number += 1) {
    const links = ['https://owner.example/page-1', 'https://owner.example/', base]
      .map((href) => `<a class="u-in-reply-to" href="${href}">reply</a>`)
      .join('');
    const card =
      '<a class="p-author h-card" href="/">Somebody <img class="u-photo" src="/picture.gif" alt=""></a>';
    site.pages.set(
      `/source-${number}`,
      page(`<article class="h-entry">${card}${links}<p class="e-content">Hello ${number}</p></article>`),
    );
  }
  const gif = 'R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=';
  site.pages.set(
    '/picture.gif',
    (_request, response) =>
      void response.writeHead(200, { 'content-type': 'image/gif' }).end(Buffer.from(gif, 'base64')),
  );
}

/** Every secret of the file of secrets that is long enough to be recognized, private parts of keys included. */
async function keysOnDisk(dataDir: string): Promise<string[]> {
  const { secrets } = JSON.parse(await readFile(path.join(dataDir, 'secrets.json'), 'utf8')) as {
    secrets: Record<string, string>;
  };
  return Object.values(secrets).flatMap((text) => {
    const privatePart = /"d":"([^"]{20,})"/.exec(text)?.[1];
    return [text, ...(privatePart === undefined ? [] : [privatePart])].filter((one) => one.length >= 20);
  });
}
