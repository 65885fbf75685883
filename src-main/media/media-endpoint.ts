import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import type { MediaChange } from '../contract/media.ts';
import { answerTokenError, type Authorize, type Bearer, bearerOf } from '../http/bearer.ts';
import { insufficientScope, invalidRequest } from '../http/errors.ts';
import { type Fields, formFields, optionalField, requiredField, windowOf } from '../http/form.ts';
import { acceptMultipart, type FilePart, multipartParts } from '../http/multipart.ts';
import { noStore } from '../http/response-headers.ts';
import type { Clock } from '../platform/clock.ts';
import { mediaPathOf } from './media-address.ts';
import type { MediaFile, MediaFilter, MediaStore } from './media-store.ts';

interface MediaEndpointDeps {
  readonly store: MediaStore;
  readonly base: () => string;
  readonly authorize: Authorize;
  readonly now: Clock;
  /** Returns the maximum size of a file, in bytes. */
  readonly limitBytes: () => number;
  /** Called once a change to a file is on disk. The callback must not throw. */
  readonly changed: (file: MediaFile, change: MediaChange['change']) => Promise<void>;
  /**
   * Called when an app has deleted a file. The callback must not throw. `grantId`: the ID of the permission that the
   * app used.
   */
  readonly deletedBy: (file: MediaFile, grantId: string) => Promise<void>;
}

/** Returns the routes of the media endpoint (Micropub 3.6), including queries and deletions (MX-22 to MX-26). */
export function mediaEndpoint(deps: MediaEndpointDeps): FastifyPluginCallback {
  const { store, base, authorize, changed } = deps;

  async function upload(request: FastifyRequest, reply: FastifyReply) {
    const file = await receiveUpload(deps, request);
    await changed(file, 'added');
    const url = mediaUrl(file, base());
    return reply.code(201).header('location', url).send({ url });
  }

  async function remove(request: FastifyRequest, reply: FastifyReply) {
    const bearer = await authorize(request, tokenInBody(request.body));
    checkMayDelete(bearer.scopes);
    const file = await removeFile(store, request.body, onlyFilesOf(bearer));
    if (file) {
      await Promise.all([changed(file, 'deleted'), deps.deletedBy(file, bearer.grantId)]);
    }
    return reply.code(204).send();
  }

  async function endpoint(app: FastifyInstance): Promise<void> {
    app.setErrorHandler(answerTokenError);
    await acceptMultipart(app, uploadTextBytes);
    // Parse JSON later, so that a client without a token first gets the error about the missing token.
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) =>
      done(null, text),
    );

    app.post('/media', { config: { upload: true } }, (request, reply) => {
      noStore(reply);
      return request.isMultipart() ? upload(request, reply) : remove(request, reply);
    });

    app.get('/media', async (request, reply) => {
      noStore(reply);
      const bearer = await authorize(request);
      return answerMediaQuery(deps, formFields(request.query), bearer);
    });
  }

  return (app, _options, done) => {
    void app.register(endpoint);
    done();
  };
}

/**
 * The limit for the text parts of a form, in bytes. One of them may be the access token, and the others are ignored.
 */
const uploadTextBytes = 65_536;
/** How many bytes a form may have in addition to its file. */
const around = 1_000_000;

/**
 * Receives the part named `file` of a multipart form (Micropub 3.6.3), and ignores other parts. Checks the sender's
 * permission before it stores any byte. Resolves once the file is on disk. If the promise rejects, nothing is stored.
 * @throws BearerError, invalid_request, and errors from MediaStore.add
 */
async function receiveUpload(
  { store, authorize, limitBytes }: MediaEndpointDeps,
  request: FastifyRequest,
): Promise<MediaFile> {
  const mayUpload = async (token?: string) => {
    const { scopes, app } = await authorize(request, token);
    checkMayUpload(scopes);
    return app;
  };
  if (bearerOf(request) !== undefined) await mayUpload();

  let token: string | undefined;
  let file: MediaFile | undefined;
  try {
    const limits = { textBytes: uploadTextBytes, totalBytes: limitBytes() + around };
    for await (const part of multipartParts(request, limits)) {
      if (part.kind === 'text') {
        if (part.name === 'file') throw invalidRequest('The field file must be a file.');
        if (part.name === 'access_token') token = onlyToken(token, part.value);
        continue;
      }
      // A stranger's file must not even be read, so check the permission before each file.
      const uploadedBy = await mayUpload(token);
      if (part.name !== 'file') {
        await passOver(part);
        continue;
      }
      if (file) throw invalidRequest('Only one file can be uploaded at a time.');
      const { filename: name, claimedType } = part;
      file = await store.add(part.content, { name, claimedType, uploadedBy });
    }
    await mayUpload(token); // checked again, because a token may follow the file
    if (!file) throw invalidRequest('The part named file is missing.');
    return file;
  } catch (error) {
    if (file) await store.delete(file.path);
    throw error;
  }
}

function onlyToken(known: string | undefined, value: string): string {
  if (known !== undefined && known !== value)
    throw invalidRequest('The parameter access_token appears more than once.');
  return value;
}

async function passOver({ content }: FilePart): Promise<void> {
  const bytes = content[Symbol.asyncIterator]();
  while ((await bytes.next()).done !== true);
}

/** Returns the access token in a form. A JSON body must not contain a token (RFC 6750, 2.2). */
function tokenInBody(body: unknown): string | undefined {
  return optionalField(formFields(body), 'access_token');
}

/**
 * Removes the file that a body with `action=delete` names (MX-26). Returns undefined if the file was already removed,
 * because repeating the request is not an error. `only`: see onlyFilesOf.
 * @throws invalid_request
 */
async function removeFile(
  store: MediaStore,
  body: unknown,
  only: string | undefined,
): Promise<MediaFile | undefined> {
  const fields = typeof body === 'string' ? fieldsIn(body) : formFields(body);
  const action = optionalField(fields, 'action');
  if (action === undefined) throw invalidRequest('Send a multipart form with a part named file.');
  if (action !== 'delete') throw invalidRequest('The only supported action is delete.');
  const path = mediaPathOf(requiredField(fields, 'url'));
  if (path === undefined) throw fileNotFound();
  const file = await store.get(path);
  if (file && !maySeeFile(file, only)) throw fileNotFound();
  if (file) return store.delete(path);
  if (!(await store.isDeleted(path))) throw fileNotFound();
  return undefined;
}

function fieldsIn(json: string): Fields {
  const body = parsed(json);
  if (typeof body !== 'object' || body === null) throw invalidRequest('The body must be a JSON object.');
  const entries = Object.entries(body).filter(([name]) => name === 'action' || name === 'url');
  if (!entries.every((entry): entry is [string, string] => typeof entry[1] === 'string'))
    throw invalidRequest('action and url must be text.');
  return Object.fromEntries(entries);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw invalidRequest('The body is not valid JSON.');
  }
}

const usualLimit = 20;
const mostItems = 100;
/**
 * The maximum age, in ms, of the file that q=last returns. Apps send this query just after they have uploaded a file.
 */
const recentMs = 3_600_000;

const configuration = {
  q: ['config', 'source', 'last'],
  properties: ['url', 'published', 'mime_type', 'width', 'height'],
};

/**
 * Responds to a query to the media endpoint (MX-22 to MX-25). Like the Micropub endpoint, treats a request without `q`
 * as q=config.
 * @throws insufficient_scope, invalid_request
 */
async function answerMediaQuery(
  { store, base, now }: MediaEndpointDeps,
  query: Fields,
  bearer: Pick<Bearer, 'scopes' | 'app'>,
): Promise<object> {
  checkMayUpload(bearer.scopes);
  const only = onlyFilesOf(bearer);
  const origin = base();
  switch (optionalField(query, 'q') ?? 'config') {
    case 'config':
      return configuration;
    case 'source': {
      const url = optionalField(query, 'url');
      if (url === undefined) return listFiles(store, { base: origin, only }, query);
      return itemOf(await fileAt(store, url, only), origin);
    }
    case 'last': {
      const [last] = (await store.list({ limit: 1, filter: { uploadedBy: only } })).items;
      const isRecent = last !== undefined && now() - Date.parse(last.uploadedAt) < recentMs;
      return isRecent ? { url: mediaUrl(last, origin) } : {};
    }
    default:
      throw invalidRequest('This server does not support this query.');
  }
}

/** Returns the public URL of a file. `base`: the public origin. */
const mediaUrl = ({ path }: MediaFile, base: string) => new URL(path, base).href;

async function listFiles(
  store: MediaStore,
  { base, only }: { base: string; only: string | undefined },
  query: Fields,
): Promise<object> {
  const { limit = usualLimit, offset, filter: text } = windowOf(query);
  const type = optionalField(query, 'mime_type')
    ?.toLowerCase()
    .replace(/\/\*?$/, '');
  const filter: MediaFilter = { text, type, uploadedBy: only };
  const { items } = await store.list({ limit: Math.min(limit, mostItems), offset, filter });
  return { items: items.map((file) => itemOf(file, base)) };
}

async function fileAt(store: MediaStore, url: string, only: string | undefined): Promise<MediaFile> {
  const path = mediaPathOf(url);
  const file = path === undefined ? undefined : await store.get(path);
  if (!file || !maySeeFile(file, only)) throw fileNotFound();
  return file;
}

/** Returns the error for a requested URL that doesn't belong to a file on this server. */
const fileNotFound = () => invalidRequest('The file with the requested URL was not found.');

function itemOf(file: MediaFile, base: string): object {
  const { type, width, height, uploadedAt } = file;
  return {
    url: mediaUrl(file, base),
    published: uploadedAt,
    mime_type: type,
    ...(width !== null && height !== null && { width, height }),
  };
}

/**
 * The scopes that allow uploads. An app that may publish posts may also upload files. Older clients use `post` instead
 * of `create` (MP-71).
 */
const forUploads = ['media', 'create', 'post'] as const;

/**
 * Checks that a token allows uploads. Queries need the same scopes, so that other apps get no information about the
 * files.
 * @throws insufficient_scope if none of the token's scopes allows an upload (MP-71, D-1)
 */
function checkMayUpload(scopes: readonly string[]): void {
  if (!has(scopes, forUploads)) throw insufficientScope('media');
}

/**
 * Checks that a token has the scope `delete` and a scope for uploads. Deleting a file requires both (MX-26). removeFile
 * also checks whether the token may see the file.
 * @throws insufficient_scope
 */
function checkMayDelete(scopes: readonly string[]): void {
  if (!has(scopes, ['delete'])) throw insufficientScope('delete');
  checkMayUpload(scopes);
}

/** Returns the app whose files a token may see; undefined if the scope `media` gives access to all files. */
function onlyFilesOf({ scopes, app }: Pick<Bearer, 'scopes' | 'app'>): string | undefined {
  return scopes.includes('media') ? undefined : app;
}

/**
 * Returns whether a token may see a file. If not, the response must be the same as for a missing file. `only`: see
 * onlyFilesOf.
 */
function maySeeFile(file: MediaFile, only: string | undefined): boolean {
  return only === undefined || file.uploadedBy === only;
}

const has = (scopes: readonly string[], any: readonly string[]) =>
  any.some((scope) => scopes.includes(scope));
