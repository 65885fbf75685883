import { Readable } from 'node:stream';
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { PorchlightError } from '../../contract/error.ts';
import { bearerOf } from '../../http/bearer.ts';
import { errorBody, RetryLater } from '../../http/errors.ts';
import { formOf } from '../../http/form.ts';
import { payAs } from '../../http/visitor-cost.ts';
import { sendPage } from '../../http/page.ts';
import type { Mention } from '../../mentions/mention.ts';
import type { MentionStore } from '../../mentions/mention-store.ts';
import { atomText } from './atom.ts';
import { mentionCounts } from './counts.ts';
import { jf2Record } from './jf2-record.ts';
import { jsonRecord } from './json-record.ts';
import { listPage } from './list-page.ts';
import {
  callbackOf,
  mentionQuery,
  targetsOf,
  tokenInQuery,
  type MentionQuery,
  type QueryFields,
} from './query.ts';
import { listText } from './record-text.ts';
import { ofTargets, selected, type SelectionDeps } from './selection.ts';
import { createTargetSpellings } from './target-spellings.ts';

export interface ReadingApiDeps {
  readonly store: MentionStore;
  /** This server's public address, without a trailing slash. */
  readonly base: () => string;
  /** Returns whether a text is the owner's management token; compares in constant time. */
  readonly isManagementToken: (text: string) => boolean | Promise<boolean>;
  readonly now: () => number;
}

const jsonType = 'application/json;charset=UTF-8';
/** The most mentions in a page or feed, because these are built in memory. */
const mostOnPage = 1000;

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
 * Serves the reading API of webmention.io (PROTOCOLS 8.1 to 8.4, 8.7), so that widgets and site generators work
 * unchanged.
 */
export function readingRoutes(deps: ReadingApiDeps): FastifyPluginCallback {
  const { store, base, isManagementToken, now } = deps;
  const selection: SelectionDeps = { store, spellings: createTargetSpellings(store, now) };

  /**
   * Parses a request's query and checks that the request is allowed to make it.
   * @throws PorchlightError `invalid_input` (400), or `forbidden` (401) for a wrong token.
   */
  async function asked(request: FastifyRequest): Promise<MentionQuery> {
    const fields = formOf(request.query);
    const query = mentionQuery(fields);
    if (query.targets.length > 0) return query;
    const token = tokenInQuery(fields) ?? bearerOf(request);
    if (token === undefined)
      throw new PorchlightError('invalid_input', 'Either a token or a target URL is required');
    if (!(await isManagementToken(token)))
      throw new PorchlightError('forbidden', 'Access token was not valid', 401);
    payAs(request, 'owner');
    return query;
  }

  async function list(format: ListFormat, request: FastifyRequest, reply: FastifyReply) {
    const query = await asked(request);
    const { head, foot, recordOf } = format;
    const text = listText(head, selected(selection, query), (each) => JSON.stringify(recordOf(each)), foot);
    return send(reply, formOf(request.query), text);
  }

  async function some(request: FastifyRequest): Promise<Mention[]> {
    const query = await asked(request);
    const mentions: Mention[] = [];
    const perPage = Math.min(query.perPage, mostOnPage);
    for await (const mention of selected(selection, { ...query, perPage })) mentions.push(mention);
    return mentions;
  }

  async function count(request: FastifyRequest, reply: FastifyReply) {
    const fields = formOf(request.query);
    const targets = targetsOf(fields);
    if (targets.length === 0) throw new PorchlightError('invalid_input', 'A target URI is required');
    return send(reply, fields, [JSON.stringify(mentionCounts(await ofTargets(selection, targets)))]);
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
      app.get(`${name}.atom`, async (request, reply) => {
        // The URL is built from the route, because the request line may contain a full URL (RFC 9112, 3.2.2).
        const text = atomText(await some(request), `${base()}${name}.atom`);
        return headed(reply, 'application/atom+xml;charset=UTF-8').send(text);
      });
      app.get(`${name}.html`, async (request, reply) => sendPage(reply, 200, listPage(await some(request))));
    }
    for (const path of ['/api/count', '/api/count.json']) app.get(path, count);
    done();
  }

  return (app, _options, done) => {
    void app.register(readingApi);
    done();
  };
}

/** Sends JSON, or a script that calls a function with the JSON (WI-3, WI-4). */
function send(reply: FastifyReply, fields: QueryFields, text: AsyncIterable<string> | Iterable<string>) {
  const callback = callbackOf(fields);
  if (callback === undefined) return headed(reply, jsonType).send(Readable.from(text));
  return headed(reply, 'text/javascript;charset=UTF-8').send(Readable.from(called(callback, text)));
}

async function* called(name: string, text: AsyncIterable<string> | Iterable<string>): AsyncIterable<string> {
  yield `${name}(`;
  // JSON allows these two characters in a string, but older JavaScript doesn't.
  for await (const piece of text) yield piece.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  yield ')';
}

function headed(reply: FastifyReply, type: string): FastifyReply {
  return reply.header('content-type', type).header('cache-control', 'no-store');
}
