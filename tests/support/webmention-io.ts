import type { ServerResponse } from 'node:http';
import { openSite } from './client-app.ts';

type Kind = 'like' | 'repost' | 'reply' | 'bookmark' | 'rsvp' | 'link' | 'invite';

/** A row of the fake aggregator's table. */
export interface Row {
  readonly id: number;
  readonly source: string;
  readonly target: string;
  readonly kind: Kind;
  readonly created: number;
  updated: number;
  private: boolean;
  deleted: boolean;
  /** False: it has its number already, but nobody is told of it yet (WI-31). */
  visible: boolean;
  text: string;
}

export type Fault = 'reset' | 'garbage' | 401 | 404 | 429 | 500;

/** A server that answers as webmention.io does (PROTOCOLS 8), from rows that a test may change meanwhile. */
export interface WebmentionIo {
  readonly origin: string;
  readonly token: string;
  readonly rows: Row[];
  /** The path and query of each request, in order. */
  readonly requests: string[];
  /** Asked before each answer: what goes wrong with it. */
  fault: (request: URL, number: number) => Fault | undefined;
  /** Milliseconds by which each answer is late. */
  delay: number;
  /** The most records that it gives at once, whatever is asked. */
  cap: number;
  /** What it tells of everything that is there, oldest first. */
  records(format: 'jf2' | 'json'): Record<string, unknown>[];
  /** The source said something else; `at`: milliseconds since the epoch. */
  update(row: Row, text: string, at: number): void;
  close(): Promise<void>;
}

const kinds: readonly Kind[] = [
  'like',
  'reply',
  'repost',
  'link',
  'bookmark',
  'rsvp',
  'like',
  'invite',
  'link',
];
const properties: Readonly<Record<Kind, string>> = {
  like: 'like-of',
  repost: 'repost-of',
  reply: 'in-reply-to',
  bookmark: 'bookmark-of',
  rsvp: 'rsvp',
  link: 'mention-of',
  invite: 'mention-of',
};
const firstReceived = Date.UTC(2020, 0, 1);

/** The row of a number of the sequence: always the same one. */
export function rowOf(index: number, site = 'https://owner.example'): Row {
  const created = firstReceived + index * 97_000;
  return {
    id: 1_000_000 + index * 13,
    source: `https://friend-${index % 211}.example/notes/${index}`,
    target: `${site}/posts/${(index * 7) % 89}${index % 29 === 0 ? '#part' : ''}`,
    kind: kinds[index % kinds.length] ?? 'link',
    created,
    updated: created + 5000,
    private: index % 41 === 0,
    deleted: false,
    visible: true,
    text: `What number ${index} has to say, & <how>.`,
  };
}

export async function openWebmentionIo(
  count: number,
  token = 'token-at-the-aggregator',
): Promise<WebmentionIo> {
  const site = await openSite();
  const rows = Array.from({ length: count }, (_, index) => rowOf(index));

  const server: WebmentionIo = {
    origin: site.origin,
    token,
    rows,
    requests: [],
    fault: () => undefined,
    delay: 0,
    cap: Number.POSITIVE_INFINITY,
    records: (format) => shown(rows).map(format === 'jf2' ? jf2Of : jsonOf),
    update(row, text, at) {
      row.text = text;
      row.updated = at;
    },
    close: () => site.close(),
  };

  for (const format of ['jf2', 'json'] as const) {
    site.pages.set(`/api/mentions.${format}`, (request, response) => {
      const url = new URL(request.url ?? '/', site.origin);
      server.requests.push(url.pathname + url.search);
      const fault = server.fault(url, server.requests.length);
      const answer = () => {
        if (fault === 'reset') response.destroy();
        else if (fault === 'garbage') response.end('<!doctype html><title>Back soon</title>');
        else if (fault !== undefined) response.writeHead(fault).end();
        else if (url.searchParams.get('token') !== token) refuse(response);
        else if (/text\/html/.test(request.headers.accept ?? '')) response.end('<title>For people</title>');
        else send(response, format, page(server, url.searchParams));
      };
      if (server.delay > 0) setTimeout(answer, server.delay);
      else answer();
    });
  }
  return server;
}

const shown = (rows: readonly Row[]) => rows.filter((row) => row.visible && !row.deleted);

function page(server: WebmentionIo, asked: URLSearchParams): Row[] {
  const up = (asked.get('sort-dir') ?? 'down') !== 'down';
  const sortBy = asked.get('sort-by') === 'updated' ? 'updated' : 'created';
  const since = Number(asked.get('since_id') ?? -1);
  const domain = asked.get('domain');
  const perPage = Math.min(Number(asked.get('per-page') ?? 20), server.cap);
  const start = Number(asked.get('page') ?? 0) * perPage;
  return shown(server.rows)
    .filter(({ id, target }) => id > since && (domain === null || new URL(target).host === domain))
    .sort((a, b) => (up ? 1 : -1) * (a[sortBy] - b[sortBy] || a.id - b.id))
    .slice(start, start + perPage);
}

function send(response: ServerResponse, format: 'jf2' | 'json', rows: readonly Row[]): void {
  const body =
    format === 'jf2'
      ? { type: 'feed', name: 'Webmentions', children: rows.map(jf2Of) }
      : { links: rows.map(jsonOf) };
  response
    .writeHead(200, { 'content-type': 'application/json;charset=UTF-8', 'cache-control': 'no-store' })
    .end(JSON.stringify(body));
}

function refuse(response: ServerResponse): void {
  response
    .writeHead(401, { 'content-type': 'application/json;charset=UTF-8' })
    .end('{"error":"forbidden","error_description":"Access token was not valid"}');
}

const seconds = (time: number, zone: string) => new Date(time).toISOString().replace('.000Z', zone);
const indexOf = ({ id }: Row) => (id - 1_000_000) / 13;

/** With the oddities of real records: no author, no content, text only, no offset, pingbacks, swarm coins. */
function jf2Of(row: Row): Record<string, unknown> {
  const index = indexOf(row);
  const { source, target, kind, created } = row;
  const property = properties[kind];
  const anonymous = index % 17 === 0;
  const silent = kind === 'like' || kind === 'repost';
  return {
    type: 'entry',
    author: {
      type: 'card',
      name: anonymous ? '' : `Friend ${index % 211} “0” & co`,
      photo: anonymous ? '' : `https://webmention.io/avatar/friend-${index % 211}.example/a.jpg`,
      url: anonymous ? null : `https://friend-${index % 211}.example/`,
    },
    url: index % 19 === 0 ? `https://elsewhere.example/${index}` : source,
    published: index % 7 === 0 ? null : seconds(created - 60_000, index % 3 === 0 ? '' : '+02:00'),
    'wm-received': seconds(created, 'Z'),
    'wm-id': row.id,
    'wm-source': source,
    'wm-target': target,
    'wm-protocol': index % 23 === 0 ? 'pingback' : 'webmention',
    ...(index % 5 === 0 && { name: `Title ${index}` }),
    ...(index % 31 === 0 && { syndication: [`https://silo.example/${index}`] }),
    ...(index % 37 === 0 && { summary: { 'content-type': 'text/plain', value: 'In short' } }),
    ...(index % 43 === 0 && { photo: [`https://friend.example/${index}.jpg`] }),
    ...(index % 47 === 0 && { 'swarm-coins': 5 }),
    ...(index % 53 === 0 && { rels: { canonical: source } }),
    ...(!silent && {
      content:
        index % 4 === 0
          ? { text: row.text }
          : {
              html: `<p>${row.text.replace('&', '&amp;').replace('<how>', '&lt;how&gt;')}</p>`,
              text: row.text,
            },
    }),
    ...(kind === 'rsvp'
      ? { rsvp: index % 2 === 0 ? 'yes' : 'maybe', 'in-reply-to': target }
      : { [property]: target }),
    'wm-property': property,
    'wm-private': row.private,
  };
}

function jsonOf(row: Row): Record<string, unknown> {
  const index = indexOf(row);
  const { source, target, kind, created } = row;
  const published = index % 7 === 0 ? null : seconds(created - 60_000, '+02:00');
  const silent = kind === 'like' || kind === 'repost';
  return {
    source,
    verified: true,
    verified_date: seconds(row.updated, '+00:00'),
    id: row.id,
    private: row.private,
    data: {
      ...(index % 17 !== 0 && {
        author: { name: `Friend ${index % 211}`, url: `https://friend-${index % 211}.example/`, photo: '' },
      }),
      url: source,
      name: index % 5 === 0 ? `Title ${index}` : null,
      content: silent ? null : `<p>${row.text}</p>`,
      published,
      published_ts: published === null ? null : Math.floor(Date.parse(published) / 1000),
      ...(kind === 'rsvp' && { rsvp: index % 2 === 0 ? 'yes' : 'maybe' }),
      ...(index % 47 === 0 && { swarm_coins: 5 }),
    },
    activity: { type: kind },
    ...(index % 53 === 0 && { rels: { canonical: source } }),
    target,
  };
}
