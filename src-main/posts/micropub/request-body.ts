import type { FastifyInstance, FastifyRequest } from 'fastify';
import { acceptMultipart, multipartParts } from '../../http/multipart.ts';
import { mostFilesInPost, type FileIntake } from './file-intake.ts';
import type { Pairs } from './form-pairs.ts';
import { invalid, mostKeys, parseJsonObject, type JsonObject } from './safe-json.ts';

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
  if (pairs.length > mostKeys) throw invalid('The form has too many fields.');
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
