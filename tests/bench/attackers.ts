import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as rest } from 'node:timers/promises';
import { badLogos, badMention, badPages } from './attack/payloads.ts';

/**
 * The attackers of `npm run bench -- attack`, as a process of their own, so that what they do does not make the
 * legitimate visitor's clock look late. Told to begin, they attack until they are told to stop, and tell what they were
 * answered.
 */

/** How often each kind of attack was answered with each status. */
export type Answers = Record<string, Record<string, number>>;
/** What the benchmark says to the attackers. */
export type Order = { readonly attack: string } | 'stop';
/** What the attackers say to the benchmark. */
export type Message = { readonly ready: true } | { readonly answers: Answers };

const addresses = Array.from({ length: 10 }, (_, index) => `203.0.113.${index + 1}`);
const mentionsInAll = 1_000;
const slowSources = 6;
/** Every address opens five request pages in a round: 20 bad logos and 30 bad pages in all. */
const roundMs = 12_000;
const kindsOfRound = { logos: 20, pages: 30 } as const;
const dripMs = 1_000;
/** An attacker who is refused tries again after this time. */
const sulkMs = 2_000;
const target = 'https://owner.example/page-1';

const logos = badLogos();
const pages = badPages();
const server = createServer((request, response) => answer(request.url ?? '/', response)).listen(
  0,
  '127.0.0.1',
);
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const over = new AbortController();
const isOver = () => over.signal.aborted;
const answers: Answers = {};

process.on('message', (order: Order) => {
  if (order === 'stop') over.abort();
  else void attack(order.attack);
});
report({ ready: true });

function report(message: Message): void {
  process.send?.(message);
}

/** Names under localhost lead here (RFC 6761), and each is a host of its own. */
const hostOf = (number: number) => `http://attacker-${number % 10}.localhost:${port}`;
/** Where a sign-in would lead back to. It has to be https, so it is not the app's own origin, and pages list it. */
const callback = 'https://attackers.localhost/callback';
const listed = `<link rel="redirect_uri" href="${callback}">`;

function answer(url: string, response: ServerResponse): void {
  const [, kind = '', text = ''] = url.split('?', 1)[0]?.split('/') ?? [];
  const number = Number(text);
  const html = { 'content-type': 'text/html; charset=utf-8' };
  if (kind === 'app') {
    response
      .writeHead(200, html)
      .end(`${listed}<title>App ${number}</title><link rel="icon" href="/logo/${number}?${url.length}">`);
  } else if (kind === 'logo') {
    const logo = logos[number % logos.length];
    response.writeHead(200, { 'content-type': logo?.type ?? '' }).end(logo?.bytes);
  } else if (kind === 'page')
    response.writeHead(200, html).end(listed + (pages[number % pages.length] ?? ''));
  else if (kind === 'mention') response.writeHead(200, html).end(badMention(target, number));
  else if (kind === 'slow' && number % 2 === 1) drip(response);
  // The other slow sources take the request and never answer.
  else if (kind !== 'slow') response.writeHead(404).end();
}

function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/html' });
  const timer = setInterval(() => response.write('<p>'), dripMs);
  response.once('close', () => clearInterval(timer));
}

async function attack(base: string): Promise<void> {
  await Promise.all([
    signIns(base),
    mentions(base),
    slow(base),
    ...addresses.map((address) => sitemap(base, address)),
  ]);
  server.closeAllConnections();
  server.close();
  report({ answers });
  process.disconnect();
}

/** Asks once and takes down the status. */
async function ask(kind: string, address: string, url: string, init: RequestInit = {}): Promise<number> {
  let status = 0;
  try {
    const headers = { 'cf-connecting-ip': address };
    const response = await fetch(url, { ...init, headers, redirect: 'manual', signal: over.signal });
    await response.arrayBuffer();
    status = response.status;
  } catch {
    // The attack is over, or the server hung up.
  }
  const counts = (answers[kind] ??= {});
  const name = status === 0 ? 'no answer' : String(status);
  counts[name] = (counts[name] ?? 0) + 1;
  return status;
}

/** All request pages of a round at once; the next round has other addresses, which nobody has learned of yet. */
async function signIns(base: string): Promise<void> {
  const asked: Promise<unknown>[] = [];
  for (let round = 0; !isOver(); round += 1) {
    for (let number = 0; number < kindsOfRound.logos + kindsOfRound.pages; number += 1) {
      const kind = number < kindsOfRound.logos ? 'app' : 'page';
      const clientId = `${hostOf(number)}/${kind}/${number}?${round}`;
      const url = new URL('/auth', base);
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: callback,
        state: 'x',
        code_challenge: 'a'.repeat(43),
        code_challenge_method: 'S256',
        scope: 'profile',
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      asked.push(
        ask(kind === 'app' ? 'bad logos' : 'bad client pages', addresses[number % 10] ?? '', url.href),
      );
    }
    await pause(roundMs);
  }
  await Promise.all(asked);
}

function send(base: string, kind: string, address: string, source: string): Promise<number> {
  return ask(kind, address, `${base}/webmention`, {
    method: 'POST',
    body: new URLSearchParams({ source, target }),
  });
}

/** A thousand mentions, a hundred from each address, one after the other. */
async function mentions(base: string): Promise<void> {
  await Promise.all(
    addresses.map(async (address, index) => {
      for (let number = index; number < mentionsInAll && !isOver(); number += addresses.length)
        while (
          (await send(base, 'bad mentions', address, `${hostOf(number)}/mention/${number}`)) !== 201 &&
          !isOver()
        )
          await pause(sulkMs);
    }),
  );
}

async function slow(base: string): Promise<void> {
  for (let number = 0; number < slowSources; number += 1)
    await send(base, 'slow sources', addresses[number] ?? '', `${hostOf(number)}/slow/${number}`);
}

async function sitemap(base: string, address: string): Promise<void> {
  while (!isOver())
    if ((await ask('sitemap readers', address, `${base}/sitemap.xml`)) !== 200) await pause(sulkMs);
}

function pause(ms: number): Promise<unknown> {
  return rest(ms, undefined, { signal: over.signal }).catch(() => undefined);
}
