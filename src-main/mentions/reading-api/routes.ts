import type { Common } from '../../http/common.ts';
import { Readable } from 'node:stream';
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { PorchlightError } from '../../contract/error.ts';
import { bearerOf } from '../../http/bearer.ts';
import { errorBody, RetryLater } from '../../http/errors.ts';
import { formFields } from '../../http/form.ts';
import { pageAnswer, type PublicAnswer, type Page } from '../../http/page.ts';
import { payAs } from '../../http/visitor-cost.ts';
import { isRecord } from '../../storage/json-value.ts';
import { isValid } from '../../storage/schema-check.ts';
import type { MentionStore } from '../mention-store.ts';
import type { MayDisclose } from '../shown-mentions.ts';
import { ResponseProperty, mentionTypes } from '../../contract/mention-types.ts';
import { type Mention, mentionsOf, sourceUrl } from '../mention.ts';
import { jf2Record, jsonRecord, listText } from './records.ts';
import {
  callbackOf,
  mentionQuery,
  type MentionQuery,
  ofTargets,
  schemesOf,
  selected,
  targetsOf,
  tokenInQuery,
} from './selection.ts';
import { html, xmlText } from '../../http/html.ts';
import { factsToShow } from '../mention-record.ts';

interface ReadingApiDeps extends Pick<Common, 'kept' | 'base'> {
  readonly store: MentionStore;
  readonly mayDisclose: MayDisclose;
  /** Returns whether a string is the owner's management token; compares in constant time. */
  readonly isManagementToken: (text: string) => boolean | Promise<boolean>;
  /** Returns who pays for a token with which an app may read the public mentions of all pages; see read_mentions. */
  readonly readerOf: (token: string) => Promise<string | undefined>;
}

const jsonType = 'application/json;charset=UTF-8';
/**
 * The maximum number of mentions in an Atom feed or HTML page, which are built in memory. Long JSON lists are streamed
 * instead.
 */
const mostInMemory = 1000;
/** The maximum number of targets in a query whose response is cached: enough for all spellings of a page's URL. */
const mostTargetsKept = 10;
/**
 * The maximum number of mentions in a cached response. Longer JSON is streamed, so that other requests can run in the
 * meantime.
 */
const mostKept = 100;

/** A query for mentions. Every field except `targets` is optional. */
type AskedQuery = Pick<MentionQuery, 'targets'> & Partial<MentionQuery>;

interface ListFormat {
  readonly head: string;
  readonly foot: string;
  readonly recordOf: (mention: Mention) => Record<string, unknown>;
}
const jf2: ListFormat = {
  head: '{"type":"feed","name":"Webmentions","children":[',
  foot: ']}',
  recordOf: jf2Record,
};
const json: ListFormat = { head: '{"links":[', foot: ']}', recordOf: jsonRecord };

/**
 * Serves the reading API of webmention.io (PROTOCOLS 8.1 to 8.4, 8.7), so that existing widgets and site generators
 * work unchanged.
 */
export function readingRoutes({
  store,
  kept,
  base,
  mayDisclose,
  isManagementToken,
  readerOf,
}: ReadingApiDeps): FastifyPluginCallback {
  /**
   * Parses a request's query and checks that the client is allowed to send it.
   * @throws PorchlightError `invalid_input` (400), or `forbidden` (401) for a wrong token.
   */
  async function asked(request: FastifyRequest): Promise<MentionQuery> {
    const fields = formFields(request.query);
    const query = mentionQuery(fields);
    if (query.targets.length > 0) return query;
    const token = tokenInQuery(fields) ?? bearerOf(request);
    if (token === undefined)
      throw new PorchlightError('invalid_input', 'Either a token or a target URL is required');
    if (await isManagementToken(token)) {
      payAs(request, 'owner');
      return query;
    }
    const reader = token === bearerOf(request) ? await readerOf(token) : undefined;
    if (reader === undefined) throw new PorchlightError('forbidden', 'Access token was not valid', 401);
    payAs(request, reader);
    return { ...query, isPublicOnly: true };
  }

  /**
   * Sends the response to a query about mentions. Caches the response if it is public. `name`: the kind of response.
   * `read`: reads the mentions.
   */
  function send(
    request: FastifyRequest,
    reply: FastifyReply,
    { name, query }: { name: string; query: AskedQuery },
    read: () => Promise<Mention[]>,
    write: (mentions: readonly Mention[]) => PublicAnswer | Promise<PublicAnswer>,
  ): Promise<FastifyReply> {
    const key = isKept(query) ? `${base()} ${name} ${keyOf(query)}` : undefined;
    return kept.send(request, reply, key, async (making) => {
      // A post may move, or stop being public.
      making.shows('posts');
      making.shows(...query.targets.flatMap(schemesOf).map((one) => mentionsOf(store.pageRules.pageOf(one))));
      const mentions = await read();
      // Empty responses are not cached, because strangers can request any number of pages without mentions.
      if (mentions.length === 0) making.until(making.now);
      const answer = await write(mentions);
      return { ...answer, headers: { ...answer.headers, 'cache-control': 'no-store' } };
    });
  }

  const sendSome = (
    request: FastifyRequest,
    reply: FastifyReply,
    { name, query }: { name: string; query: MentionQuery },
    write: (mentions: readonly Mention[]) => PublicAnswer | Promise<PublicAnswer>,
  ) => {
    const perPage = Math.min(query.perPage, mostInMemory);
    const read = () => listOf(selected(store, mayDisclose, { ...query, perPage }));
    return send(request, reply, { name, query }, read, write);
  };

  async function list(format: ListFormat, request: FastifyRequest, reply: FastifyReply) {
    const query = await asked(request);
    const callback = callbackOf(formFields(request.query));
    const { head, foot, recordOf } = format;
    const textOf = (mentions: AsyncIterable<Mention> | Iterable<Mention>) =>
      listText(head, mentions, (each) => JSON.stringify(recordOf(each)), foot);
    if (callback !== undefined || query.targets.length === 0 || query.perPage > mostKept)
      return stream(reply, callback, textOf(selected(store, mayDisclose, query)));
    return sendSome(request, reply, { name: head, query }, async (mentions) => ({
      type: jsonType,
      text: (await listOf(textOf(mentions))).join(''),
    }));
  }

  async function count(request: FastifyRequest, reply: FastifyReply) {
    const fields = formFields(request.query);
    const targets = targetsOf(fields);
    if (targets.length === 0) throw new PorchlightError('invalid_input', 'A target URI is required');
    const callback = callbackOf(fields);
    const read = () => ofTargets(store, mayDisclose, targets);
    const textOf = (mentions: readonly Mention[]) => JSON.stringify(mentionCounts(mentions));
    if (callback !== undefined) return stream(reply, callback, [textOf(await read())]);
    return send(request, reply, { name: 'count', query: { targets } }, read, (mentions) => ({
      type: jsonType,
      text: textOf(mentions),
    }));
  }

  function readingApi(app: Parameters<FastifyPluginCallback>[0], _options: object, done: () => void): void {
    app.setErrorHandler(async (error, request, reply) => {
      if (!(error instanceof PorchlightError) || error.status >= 500 || error instanceof RetryLater)
        throw error;
      const body = errorBody(error.code, error.message);
      return headed(reply.code(error.status), jsonType).send(JSON.stringify(body));
    });
    for (const name of ['/api/mentions', '/api/links']) {
      for (const path of [name, `${name}.json`])
        app.get(path, (request, reply) => list(json, request, reply));
      app.get(`${name}.jf2`, (request, reply) => list(jf2, request, reply));
      app.get(`${name}.atom`, async (request, reply) =>
        sendSome(request, reply, { name: `${name}.atom`, query: await asked(request) }, (mentions) => ({
          type: 'application/atom+xml;charset=UTF-8',
          // Don't use the URL in the request line, because it may be a full URL (RFC 9112, 3.2.2).
          text: atomText(mentions, `${base()}${name}.atom`),
        })),
      );
      app.get(`${name}.html`, async (request, reply) =>
        sendSome(request, reply, { name: 'html', query: await asked(request) }, (mentions) =>
          pageAnswer(mentionListPage(mentions)),
        ),
      );
    }
    for (const path of ['/api/count', '/api/count.json']) app.get(path, count);
    done();
  }

  return (app, _options, done) => {
    void app.register(readingApi);
    done();
  };
}

/**
 * Returns whether to cache the response to a query. Only queries with targets have public responses. To be cached, a
 * query must also be common: few targets, the first page, and no unusual parameters.
 */
function isKept({ targets, page = 0, perPage = 0, since, sinceId, properties = [] }: AskedQuery) {
  return (
    targets.length > 0 &&
    targets.length <= mostTargetsKept &&
    page === 0 &&
    perPage <= mostKept &&
    since === undefined &&
    sinceId === undefined &&
    properties.every((name) => isValid(ResponseProperty, name))
  );
}

/** Returns the parameters that a cached response depends on, as text. */
function keyOf({ targets, perPage, sortBy, down, properties = [] }: AskedQuery): string {
  return JSON.stringify([targets, perPage, sortBy, down, [...properties].sort()]);
}

async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Streams JSON, or a script that calls a function with the JSON (WI-3, WI-4). */
function stream(
  reply: FastifyReply,
  callback: string | undefined,
  text: AsyncIterable<string> | Iterable<string>,
) {
  if (callback === undefined) return headed(reply, jsonType).send(Readable.from(text));
  return headed(reply, 'text/javascript;charset=UTF-8').send(Readable.from(called(callback, text)));
}

async function* called(name: string, text: AsyncIterable<string> | Iterable<string>): AsyncIterable<string> {
  yield `${name}(`;
  // JSON allows U+2028 and U+2029 in a string, but older JavaScript doesn't.
  for await (const piece of text) yield piece.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  yield ')';
}

function headed(reply: FastifyReply, type: string): FastifyReply {
  return reply.header('content-type', type).header('cache-control', 'no-store');
}

/** Returns the number of mentions, in total and by type, in webmention.io's format (WI-2). */
function mentionCounts(mentions: readonly Mention[]): { count: number; type: Record<string, number> } {
  const types = new Map<string, number>();
  for (const mention of mentions) {
    const name = nameOf(mention);
    types.set(name, (types.get(name) ?? 0) + 1);
  }
  return { count: mentions.length, type: Object.fromEntries([...types].sort()) };
}

function nameOf({ facts, imported }: Mention): string {
  const activity = imported?.json?.['activity'];
  if (isRecord(activity) && activity['type'] === 'invite') return 'invite';
  return facts.type === 'rsvp' ? `rsvp-${facts.rsvp ?? 'yes'}` : facts.type;
}

/** Returns the mentions as a simple HTML page with microformats. The page loads nothing from other servers. */
function mentionListPage(mentions: readonly Mention[]): Page {
  const list = html`<div class="h-feed">${mentions.map(itemOf)}</div>`;
  return {
    title: 'Mentions',
    body: html`<main>
      <h1>Mentions</h1>
      ${mentions.length > 0 ? list : html`<p>No mentions yet.</p>`}
    </main>`,
  };
}

function itemOf(mention: Mention) {
  const { source, received } = mention;
  const text = factsToShow(mention).content?.value;
  return html`<article class="h-cite">
    <h2><a class="u-url" rel="nofollow ugc noopener" href="${source}">${aboutMention(mention)}</a></h2>
    ${text !== undefined && html`<p class="p-content">${text}</p>`}
    <p class="soft">
      <span class="p-author">${authorName(mention)}</span>,
      <time class="dt-published" datetime="${received}">${received.slice(0, 10)}</time>
    </p>
  </article>`;
}

/** Returns the mentions as an Atom feed (RFC 4287). `self`: the feed's own URL. */
function atomText(mentions: readonly Mention[], self: string): string {
  const updated = mentions.reduce(
    (newest, { parsed }) => (parsed > newest ? parsed : newest),
    '1970-01-01T00:00:00Z',
  );
  const feed = html`<feed xmlns="http://www.w3.org/2005/Atom">
<title>Mentions</title>
<id>${xmlText(self)}</id>
<link rel="self" href="${xmlText(self)}"/>
<updated>${updated}</updated>
<generator>Porchlight</generator>
${mentions.map((mention) => entryOf(mention, new URL(self).hostname))}</feed>
`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${feed.markup}`;
}

function entryOf(mention: Mention, host: string) {
  const { id, target, received, parsed } = mention;
  const facts = factsToShow(mention);
  const { content, author } = facts;
  return html`<entry>
<id>tag:${host},2026:mention/${id}</id>
<title>${xmlText(aboutMention(mention))}</title>
<link rel="alternate" type="text/html" href="${xmlText(sourceUrl(facts.url, mention))}"/>
<link rel="related" href="${xmlText(target)}"/>
<published>${received}</published>
<updated>${parsed}</updated>
<author><name>${xmlText(authorName(mention))}</name>${author?.url ? html`<uri>${xmlText(author.url)}</uri>` : ''}</author>
${
  content &&
  html`<content type="${content.html === undefined ? 'text' : 'html'}">${xmlText(content.html ?? content.value)}</content>
`
}</entry>
`;
}

/** Returns the author's name, or else the source's host (AU-3). */
function authorName(mention: Mention): string {
  return factsToShow(mention).author?.name || new URL(mention.source).host;
}

/** Returns a one-line description of a mention, such as “Alice liked https://me.example/post”. */
function aboutMention(mention: Mention): string {
  const { type, rsvp } = factsToShow(mention);
  const answer = type === 'rsvp' && rsvp !== undefined ? ` (${rsvp})` : '';
  return `${authorName(mention)} ${mentionTypes[type].deed} ${mention.target}${answer}`;
}
