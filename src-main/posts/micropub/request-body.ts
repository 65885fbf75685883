import { isMediaProperty } from '../../contract/post-kinds.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidRequest } from '../../http/errors.ts';
import { acceptMultipart, type FilePart, multipartParts } from '../../http/multipart.ts';
import { type JsonObject, mostKeys, parseJsonObject } from './safe-json.ts';

export type MicropubBody = { kind: 'form'; pairs: Pairs } | { kind: 'json'; object: JsonObject };

/** The maximum size of a body, in bytes: 2 MB, enough for a very long article. Files have a limit of their own. */
const bodyLimit = 2_000_000;
/** How many bytes the boundaries and headers of a multipart form may add. */
const around = 1_000_000;

/** The text of a body. It is parsed only after the sender is authorized. */
interface RawBody {
  readonly kind: 'form' | 'json';
  readonly text: string;
}

/** Makes the routes of `app`, and no other routes, accept the three encodings of Micropub requests (Micropub 3.3). */
export async function acceptMicropubBodies(app: FastifyInstance): Promise<void> {
  const raw =
    (kind: RawBody['kind']) =>
    (_request: FastifyRequest, text: string, done: (error: Error | null, body?: RawBody) => void) =>
      done(null, { kind, text });
  const form = 'application/x-www-form-urlencoded';
  app.removeContentTypeParser(form); // the default parser loses the order of fields and does not limit their number
  app.addContentTypeParser<string>(form, { parseAs: 'string', bodyLimit }, raw('form'));
  app.addContentTypeParser<string>('application/json', { parseAs: 'string', bodyLimit }, raw('json'));
  await acceptMultipart(app, bodyLimit);
}

/** Returns whether the body is a form. A form may carry a token (RFC 6750, 2.2), but JSON may not. */
export function isForm(request: FastifyRequest): boolean {
  return request.isMultipart() || (request.body as RawBody | null | undefined)?.kind === 'form';
}

/**
 * Reads a request body and passes its files to `intake`. `fileLimit`: the limit for each file, in bytes.
 * @throws invalid_request
 */
export async function readRequestBody(
  request: FastifyRequest,
  intake: FileIntake,
  fileLimit: number,
): Promise<MicropubBody> {
  if (request.isMultipart()) return { kind: 'form', pairs: await readParts(request, intake, fileLimit) };
  const body = request.body as RawBody | null | undefined;
  if (body?.kind === 'json') return { kind: 'json', object: parseJsonObject(body.text) };
  return { kind: 'form', pairs: readForm(body?.text ?? '') };
}

function readForm(text: string): Pairs {
  const pairs = [...new URLSearchParams(text)];
  if (pairs.length > mostKeys) throw invalidRequest('The form has too many fields.');
  return pairs;
}

/** Reads a multipart form. Each file is stored, and its URL takes the file's position among the fields (MP-29). */
async function readParts(request: FastifyRequest, intake: FileIntake, fileLimit: number): Promise<Pairs> {
  const pairs: [string, string][] = [];
  const limits = { textBytes: bodyLimit, totalBytes: mostFilesInPost * fileLimit + bodyLimit + around };
  for await (const part of multipartParts(request, limits)) {
    pairs.push([part.name, part.kind === 'text' ? part.value : await intake.take(part, pairs)]);
  }
  return pairs;
}

/** A file that was sent along with a post. */
interface KeptFile {
  /** The file's URL, as used in the post. */
  readonly url: string;
  /** Removes the file. Called if the post isn't created. */
  discard(): Promise<void>;
}

/**
 * Streams a file into storage. Resolves once the file is on disk. If the promise rejects, nothing remains of the file.
 */
export type KeepFile = (
  content: AsyncIterable<Uint8Array>,
  about: { name: string | undefined; claimedType: string; uploadedBy: string },
) => Promise<KeptFile>;

/** Stores the files that are sent in one Micropub request. */
export type FileIntake = ReturnType<typeof createFileIntake>;

/** The maximum number of files in one post. */
const mostFilesInPost = 50;

/** The names of form fields whose values may be files (Micropub 3.3). */
const takesFiles = (field: string) => isMediaProperty(field.replace(/\[\]$/, ''));

/**
 * Creates the storage for the files of one request. Before the first file is read, `allow` is called with the form
 * fields that precede the file. `allow` resolves with the app's name, and rejects if the app may not create posts.
 */
export function createFileIntake(keep: KeepFile, allow: (pairs: Pairs) => Promise<string>) {
  const kept: KeptFile[] = [];
  let uploadedBy: string | undefined;

  return {
    /**
     * Stores a file from a form, and returns its URL. `pairs`: the form fields before the file.
     * @throws BearerError, invalid_request
     */
    async take({ name, filename, claimedType, content }: FilePart, pairs: Pairs): Promise<string> {
      uploadedBy ??= await allow(pairs);
      if (!takesFiles(name)) throw invalidRequest(`The field ${name} does not accept files.`);
      if (kept.length === mostFilesInPost)
        throw invalidRequest(`A post can have at most ${mostFilesInPost} files.`);
      const file = await keep(content, { name: filename, claimedType, uploadedBy });
      kept.push(file);
      return file.url;
    },

    /** Whether any file was stored. */
    get used(): boolean {
      return kept.length > 0;
    },

    /**
     * Removes all stored files.
     * @throws AggregateError with the errors of files that could not be removed
     */
    async discard(): Promise<void> {
      const results = await Promise.allSettled(kept.splice(0).map((file) => file.discard()));
      const reasons = results.flatMap((result): unknown[] =>
        result.status === 'rejected' ? [result.reason] : [],
      );
      if (reasons.length > 0) throw new AggregateError(reasons, 'Files of a refused post are still there.');
    },
  };
}

/** The fields of a form, in the order received. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/**
 * Returns the token in a form, or undefined if there is none. The token can be anywhere among the fields (MP-1).
 * @throws invalid_request if there are several different tokens.
 */
export function tokenInForm(pairs: Pairs): string | undefined {
  const tokens = new Set(valuesOf(pairs, 'access_token'));
  if (tokens.size > 1) throw invalidRequest('The parameter access_token appears more than once.');
  return [...tokens][0];
}

/** Returns whether a form creates a post: it has no `action` field, or its `action` is `create`. */
export const isCreateForm = (pairs: Pairs) => valuesOf(pairs, 'action').every((value) => value === 'create');

const valuesOf = (pairs: Pairs, key: string) =>
  pairs.filter(([name]) => name === key).map(([, value]) => value);
