import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyPluginCallback, FastifyRequest } from 'fastify';
import { PorchlightError } from '../../contract/error.ts';
import type { MentionRecord, ProcessCounts } from '../../contract/webmentions.ts';
import { bearerOf } from '../../http/bearer.ts';
import { visitorOf } from '../../http/client-address.ts';
import { errorBody, noToken } from '../../http/errors.ts';
import { type Fields, formFields, optionalField, requiredField } from '../../http/form.ts';
import { payAs } from '../../http/visitor-cost.ts';
import type { MentionImport } from '../import/import.ts';
import type { MentionStore } from '../mention-store.ts';
import { type MayDisclose, mentionsAt } from '../shown-mentions.ts';
import { isShown, type Mention } from '../mention.ts';
import { recordOf } from '../mention-record.ts';
import { exportJf2 } from '../reading-api/records.ts';
import type { ProcessOptions } from './worker.ts';

interface ManagementRouteDeps {
  readonly store: MentionStore;
  readonly mayDisclose: MayDisclose;
  /** Returns whether a string is the owner's management token; compares in constant time. */
  readonly isManagementToken: (text: string) => boolean;
  /** Returns who pays for a token with which an app may read the public mentions of all pages; see read_mentions. */
  readonly readerOf: (token: string) => Promise<string | undefined>;
  /** Processes the queue immediately; resolves with the results. */
  readonly processNow: (options: Required<ProcessOptions>) => Promise<ProcessCounts>;
  readonly deleted: (mention: Mention) => void;
}

/**
 * The limits that apply when anyone but the owner processes the queue. `limitMs` is shorter than Cloudflare's timeout
 * of 100 seconds.
 */
const forAnybody = { limitMs: 60_000, earlyTries: 3 };

/**
 * The rate limit for requests to process the queue. Anyone can send such a request. Requests during a run join that
 * run, so they cause no additional work.
 */
const processLimit = {
  waits: true,
  rateLimit: {
    max: (request: FastifyRequest) => (visitorOf(request) === undefined ? 600 : 6),
    timeWindow: 60_000,
  },
};

const json = 'application/json; charset=utf-8';

/** Serves the endpoints that programs use to read and manage mentions (the project's own API). */
export function managementRoutes(deps: ManagementRouteDeps): FastifyPluginCallback {
  const { store } = deps;
  const publicListing = createPublicListing(store, deps.mayDisclose);

  /**
   * Checks the management token of a request.
   * @throws PorchlightError unauthorized (401), forbidden (403)
   */
  function authorize(request: FastifyRequest, fields: Fields): void {
    const token = optionalField(fields, 'token') ?? bearerOf(request);
    if (token === undefined) throw noToken();
    if (!deps.isManagementToken(token))
      throw new PorchlightError('forbidden', 'This is not the management token.', 403);
    payAs(request, 'owner');
  }

  /** Returns who pays for the request of an app with the scope read_mentions; undefined for any other request. */
  async function readerOf(request: FastifyRequest, fields: Fields): Promise<string | undefined> {
    const token = bearerOf(request);
    const isOther = optionalField(fields, 'token') !== undefined || token === undefined;
    return isOther || deps.isManagementToken(token) ? undefined : deps.readerOf(token);
  }

  async function forceDelete(source: string, target: string): Promise<Mention> {
    const found = await store.find(source, target);
    if (!found || found.status === 'deleted')
      throw new PorchlightError('not_found', 'This webmention does not exist.', 404);
    const mention = await store.setStatus(found.id, 'deleted', 'owner');
    deps.deleted(mention);
    return mention;
  }

  function endpoints(app: FastifyInstance, _options: object, done: () => void): void {
    app.addHook('onRequest', (_request, reply, next) => {
      reply.header('cache-control', 'no-store');
      next();
    });

    app.delete('/webmention', async (request, reply) => {
      const fields = { ...formFields(request.body), ...formFields(request.query) };
      authorize(request, fields);
      const source = requiredField(fields, 'source');
      const deleted = await forceDelete(source, requiredField(fields, 'target'));
      return reply.send(recordOf(deleted));
    });

    app.get('/process', { config: processLimit, exposeHeadRoute: false }, () => deps.processNow(forAnybody));

    app.get('/webmentions', async (request, reply) => {
      const fields = formFields(request.query);
      const url = optionalField(fields, 'url');
      if (url !== undefined) return reply.type(json).send(await publicListing(url));
      if (optionalField(fields, 'token') === undefined && bearerOf(request) === undefined)
        throw new PorchlightError('invalid_request', 'The request needs the parameter url or a token.');
      const reader = await readerOf(request, fields);
      if (reader === undefined) {
        authorize(request, fields);
        return reply.type(json).send(wholeListing(store));
      }
      payAs(request, reader);
      return reply.type(json).send(appListing(store, deps.mayDisclose));
    });

    app.get('/webmentions/export.jf2', async (request, reply) => {
      authorize(request, formFields(request.query));
      reply.header('content-disposition', 'attachment; filename="webmentions.jf2"');
      return reply.type(json).send(Readable.from(exportJf2(store)));
    });
    done();
  }

  return (app, _options, done) => {
    void app.register(endpoints);
    done();
  };
}

/** Returns a mention's public record. It lacks the status, because the owner's decisions are private. */
function publicRecordOf(mention: Mention): Partial<MentionRecord> {
  return Object.fromEntries(Object.entries(recordOf(mention)).filter(([name]) => name !== 'status'));
}

/**
 * How many listings stay in memory, and the maximum length of each, in UTF-16 units. A listing is created again when
 * its mentions change.
 */
const mostReady = 16;
const longestReady = 1024 * 1024;

/**
 * Creates a function that lists the approved mentions of the page at `url`, oldest first, as `{"<url>": [record,
 * ...]}`. See mentionsAt.
 */
export function createPublicListing(
  store: Pick<MentionStore, 'ofPage' | 'recordsOf' | 'pageRules'>,
  mayDisclose: MayDisclose,
): (url: string) => Promise<Readable> {
  // The cache holds only weak references to the mentions, because mentions need much more memory than the text of their
  // listing.
  const ready = new Map<string, { mentions: WeakRef<readonly Mention[]>; pieces: readonly string[] }>();

  async function* keeping(url: string, mentions: readonly Mention[]): AsyncGenerator<string> {
    const shown = mentions.filter(isShown);
    const pieces: string[] = [];
    let length = 0;
    for await (const piece of jsonPieces([[url, shown]], publicRecordOf)) {
      length += piece.length;
      if (length <= longestReady) pieces.push(piece);
      yield piece;
    }
    if (length > longestReady) return;
    ready.delete(url);
    ready.set(url, { mentions: new WeakRef(mentions), pieces });
    for (const oldest of ready.keys()) if (ready.size > mostReady) ready.delete(oldest);
  }

  return async (url) => {
    const mentions = await mentionsAt(store, mayDisclose, url);
    const known = ready.get(url);
    // The store returns a new array after a change, so the same array means that no mention has changed.
    const pieces = known?.mentions.deref() === mentions ? known.pieces : keeping(url, mentions);
    return Readable.from(pieces);
  };
}

/**
 * Lists every received mention with its status, even if a source links to several spellings of a page's URL, grouped by target. Keeps the mentions of only one page in memory at a
 * time.
 */
export function wholeListing(store: MentionStore): Readable {
  return Readable.from(jsonPieces(byTarget(store), recordOf));
}

/** Lists the mentions that everybody may see, without their status, grouped by target. */
function appListing(store: MentionStore, mayDisclose: MayDisclose): Readable {
  return Readable.from(jsonPieces(publicOnly(store, mayDisclose), publicRecordOf));
}

async function* publicOnly(
  store: MentionStore,
  mayDisclose: MayDisclose,
): AsyncGenerator<[string, Mention[]]> {
  for await (const [target, mentions] of byTarget(store)) {
    const shown = mentions.filter(isShown);
    if (shown.length > 0 && (await mayDisclose(store.pageRules.pageOf(target)))) yield [target, shown];
  }
}

async function* byTarget(store: MentionStore): AsyncGenerator<[string, Mention[]]> {
  for (const page of await store.pageIds()) {
    const groups = new Map<string, Mention[]>();
    for (const mention of await store.recordsOf(page)) {
      const group = groups.get(mention.target);
      if (group) group.push(mention);
      else groups.set(mention.target, [mention]);
    }
    yield* groups;
  }
}

type Groups = Iterable<[string, readonly Mention[]]> | AsyncIterable<[string, readonly Mention[]]>;

/** The number of characters to pass on at a time. */
const pieceLength = 65_536;

/**
 * Yields groups of mentions as one JSON object, piece by piece, because the complete object may be too long for a
 * string.
 */
async function* jsonPieces(groups: Groups, valueOf: (mention: Mention) => unknown): AsyncGenerator<string> {
  let piece = '{';
  let isFirst = true;
  for await (const [name, mentions] of groups) {
    piece += `${isFirst ? '' : ','}${JSON.stringify(name)}:[`;
    isFirst = false;
    for (const [index, mention] of mentions.entries()) {
      piece += (index === 0 ? '' : ',') + JSON.stringify(valueOf(mention));
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = '';
    }
    piece += ']';
  }
  yield `${piece}}`;
}

/**
 * Serves `GET /import?token=&aggregator=`, which imports everything and responds when the import ends (PROTOCOLS 0,
 * 0b). `isManagementToken`: returns whether a string is the owner's management token; compares in constant time.
 */
export function importRoutes(
  isManagementToken: (text: string) => boolean | Promise<boolean>,
  importer: Pick<MentionImport, 'run'>,
): FastifyPluginCallback {
  return (app, _options, done) => {
    // A HEAD request must not start an import.
    app.get('/import', { config: { waits: true }, exposeHeadRoute: false }, async (request, reply) => {
      const query = formFields(request.query);
      reply.header('cache-control', 'no-store');
      const token = optionalField(query, 'token') ?? bearerOf(request);
      if (token === undefined) return reply.code(401).send(errorBody('unauthorized'));
      if (!(await isManagementToken(token))) return reply.code(403).send(errorBody('forbidden'));
      const aggregator = requiredField(query, 'aggregator');
      const { broken, refused, ...counts } = await importer.run({ token: aggregator, full: true });
      if (broken === undefined) return counts;
      const error = refused === true ? 'aggregator_refused' : 'aggregator_failed';
      return reply.code(502).send({ ...errorBody(error, broken), ...counts });
    });
    done();
  };
}
