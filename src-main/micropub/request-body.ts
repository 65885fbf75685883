import type { FastifyInstance, FastifyRequest } from 'fastify';
import multipart from '@fastify/multipart';
import { PorchlightError } from '../contract/error.ts';
import { invalid, mostKeys, parseJsonObject, type JsonObject } from './safe-json.ts';

/** The fields of a form in the order in which they came. */
export type Pairs = readonly (readonly [name: string, value: string])[];

export type MicropubBody = { kind: 'form'; pairs: Pairs } | { kind: 'json'; object: JsonObject };

/** 2 MB: a very long article. Files have an endpoint of their own. */
const bodyLimit = 2_000_000;

/** A body as text: who asks is checked before what is asked, so nothing is read into it yet. */
interface RawBody {
  readonly kind: 'form' | 'json';
  readonly text: string;
}

/** Lets the routes of `app`, and no others, take the three encodings of Micropub (3.3). */
export async function acceptMicropubBodies(app: FastifyInstance): Promise<void> {
  const raw =
    (kind: RawBody['kind']) =>
    (_request: FastifyRequest, text: string, done: (error: Error | null, body?: RawBody) => void) =>
      done(null, { kind, text });
  const form = 'application/x-www-form-urlencoded';
  app.removeContentTypeParser(form); // the app's own loses the order, and takes any number of fields
  app.addContentTypeParser<string>(form, { parseAs: 'string', bodyLimit }, raw('form'));
  app.addContentTypeParser<string>('application/json', { parseAs: 'string', bodyLimit }, raw('json'));
  await app.register(multipart, {
    limits: { fields: mostKeys, parts: mostKeys, fieldSize: bodyLimit, fieldNameSize: 1_000 },
  });
}

/** True where the body is a form, which may carry a token (RFC 6750, 2.2). JSON may not. */
export function isForm(request: FastifyRequest): boolean {
  return request.isMultipart() || (request.body as RawBody | null | undefined)?.kind === 'form';
}

/** Reads the body of a request to the endpoint. @throws invalid_request */
export async function readBody(request: FastifyRequest): Promise<MicropubBody> {
  if (request.isMultipart()) return { kind: 'form', pairs: await readParts(request) };
  const body = request.body as RawBody | null | undefined;
  if (body?.kind === 'json') return { kind: 'json', object: parseJsonObject(body.text) };
  return { kind: 'form', pairs: readForm(body?.text ?? '') };
}

function readForm(text: string): Pairs {
  const pairs = [...new URLSearchParams(text)];
  if (pairs.length > mostKeys) throw invalid('The form has too many fields.');
  return pairs;
}

/** Reads a multipart form. What its parser throws without a status is about the body, not about this server. */
async function readParts(request: FastifyRequest): Promise<Pairs> {
  try {
    return await textParts(request);
  } catch (error) {
    if (error instanceof PorchlightError || (error instanceof Error && 'statusCode' in error)) throw error;
    throw new PorchlightError('invalid_request', 'The multipart body is malformed.', 400, { cause: error });
  }
}

async function textParts(request: FastifyRequest): Promise<Pairs> {
  const pairs: [string, string][] = [];
  let size = 0;
  for await (const part of request.parts()) {
    if (part.type === 'file') {
      // Browsers send a part without a name for a file field that was left empty.
      if (part.filename !== '') throw invalid('Files are not taken yet.');
      part.file.resume();
      continue;
    }
    if (typeof part.value !== 'string') throw invalid(`The field ${part.fieldname} must be text.`);
    size += part.fieldname.length + part.value.length;
    if (part.valueTruncated || size > bodyLimit)
      throw new PorchlightError('invalid_request', 'The form is too large.', 413);
    pairs.push([part.fieldname, part.value]);
  }
  return pairs;
}
