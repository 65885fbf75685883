import type { IncomingMessage } from 'node:http';
import multipart, { type Multipart, type MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PorchlightError } from '../contract/error.ts';

/** A part of a multipart form. File fields that were left empty are none. */
export type Part = TextPart | FilePart;

export interface TextPart {
  readonly kind: 'text';
  readonly name: string;
  readonly value: string;
}

export interface FilePart {
  readonly kind: 'file';
  readonly name: string;
  /** What its sender calls the file. */
  readonly filename: string | undefined;
  /** What its sender says that it is. */
  readonly claimedType: string;
  /** The bytes as they come in, to be read once, and before the next part. */
  readonly content: AsyncIterable<Uint8Array>;
}

export interface MultipartLimits {
  /** All names and texts together. */
  readonly textBytes: number;
  /** The whole body, files included. */
  readonly totalBytes: number;
}

const mostParts = 2_000;
/** After an answer given early so much is still read and dropped: a client that is cut off may never see the answer. */
const graceBytes = 16_000_000;

/** Lets the routes of `app`, and no others, take multipart forms. `textBytes`: the largest text. */
export async function acceptMultipart(app: FastifyInstance, textBytes: number): Promise<void> {
  const limits = { fields: mostParts, parts: mostParts, fieldNameSize: 1_000, fieldSize: textBytes };
  // How large a file may be is for those to say who keep it.
  await app.register(multipart, { limits: { ...limits, fileSize: Infinity }, throwFileSizeLimit: false });
}

/**
 * The parts of a form, in the order in which they come. Whoever stops early needs to do nothing: what is left is dropped.
 * @throws invalid_request: 413 where a limit is passed (at once, where Content-Length says so), 400 where the body is malformed
 */
export async function* partsOf(request: FastifyRequest, limits: MultipartLimits): AsyncGenerator<Part, void> {
  const { raw } = request;
  let text = 0;
  try {
    if (Number(request.headers['content-length'] ?? 0) > limits.totalBytes) throw tooLarge();
    const parts = request.parts();
    const first = parts.next(); // which begins to read: nobody may listen before
    const budget = watch(raw, limits.totalBytes);
    for (let next = first; ; next = parts.next()) {
      const result = await Promise.race([next, budget.passed]);
      if (result.done === true) return;
      const part = await readable(result.value, budget);
      if (part?.kind === 'text') text += part.name.length + part.value.length;
      if (text > limits.textBytes) throw tooLarge();
      if (part) yield part;
    }
  } catch (error) {
    throw faultOf(error);
  } finally {
    letGo(raw);
  }
}

/** What may still come in. */
interface Budget {
  /** Rejects when more has come in than may. */
  readonly passed: Promise<never>;
  /** @throws invalid_request (413) when more has come in than may */
  check(): void;
}

function watch(raw: IncomingMessage, most: number): Budget {
  let size = 0;
  const passed = new Promise<never>((_resolve, reject) => {
    raw.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > most) reject(tooLarge());
    });
  });
  passed.catch(() => undefined); // nobody may wait for it any more
  return {
    passed,
    check() {
      if (size > most) throw tooLarge();
    },
  };
}

/** Undefined for a file field that was left empty: browsers send a part without a name and without content for it. */
async function readable(part: Multipart, budget: Budget): Promise<Part | undefined> {
  const { fieldname: name } = part;
  if (part.type === 'field') {
    if (typeof part.value !== 'string') throw malformed(`The field ${name} must be text.`);
    if (part.valueTruncated) throw tooLarge();
    return { kind: 'text', name, value: part.value };
  }
  const filename = part.filename === '' ? undefined : (part.filename as string | undefined);
  const content = contentOf(part.file, budget);
  const file: FilePart = { kind: 'file', name, filename, claimedType: part.mimetype, content };
  if (filename !== undefined) return file;
  const { value, done } = await content.next();
  return done === true ? undefined : { ...file, content: joined(value, content) };
}

async function* contentOf(file: MultipartFile['file'], budget: Budget): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of file) {
      budget.check();
      yield chunk as Uint8Array;
    }
  } catch (error) {
    throw faultOf(error);
  }
}

async function* joined(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  yield first;
  yield* rest;
}

/** What the parser throws without a status is about the body, not about this server. */
function faultOf(error: unknown): unknown {
  if (error instanceof PorchlightError || (error instanceof Error && 'statusCode' in error)) return error;
  return malformed('The multipart body is malformed.', error);
}

/** Nothing of the body is kept any more. Its parser must not go on: it would store up all that still comes. */
function letGo(raw: IncomingMessage): void {
  if (raw.readableEnded || raw.destroyed) return;
  let left = graceBytes;
  raw.unpipe();
  raw.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) raw.destroy();
  });
  raw.resume();
}

const malformed = (message: string, cause?: unknown) =>
  new PorchlightError('invalid_request', message, 400, { cause });

const tooLarge = () => new PorchlightError('invalid_request', 'The form is too large.', 413);
