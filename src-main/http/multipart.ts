import type { IncomingMessage } from 'node:http';
import multipart, { type Multipart, type MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PorchlightError } from '../contract/error.ts';

/** A part of a multipart form. File fields that were left empty are skipped. */
export type MultipartPart = TextPart | FilePart;

export interface TextPart {
  readonly kind: 'text';
  readonly name: string;
  readonly value: string;
}

export interface FilePart {
  readonly kind: 'file';
  readonly name: string;
  /** The file name given by the sender. */
  readonly filename: string | undefined;
  /** The media type claimed by the sender. */
  readonly claimedType: string;
  /** The file's bytes as they arrive. Read them only once, and before requesting the next part. */
  readonly content: AsyncIterable<Uint8Array>;
}

export interface MultipartLimits {
  /** The limit for the total length of all text fields, including their names, in bytes. */
  readonly textBytes: number;
  /** The limit for the size of the whole body, including files, in bytes. */
  readonly totalBytes: number;
}

const mostParts = 2_000;
/**
 * The number of bytes that are still read and discarded after an early response. If the connection were closed at once,
 * the client might never see the response.
 */
const graceBytes = 16_000_000;

/**
 * Makes the routes of `app` accept multipart forms; other routes don't. `textBytes`: the size limit of one text field.
 */
export async function acceptMultipart(app: FastifyInstance, textBytes: number): Promise<void> {
  const limits = { fields: mostParts, parts: mostParts, fieldNameSize: 1_000, fieldSize: textBytes };
  // Files have no limit here, because the code that stores them limits their size.
  await app.register(multipart, { limits: { ...limits, fileSize: Infinity }, throwFileSizeLimit: false });
}

/**
 * Yields the parts of a form in order. If the caller stops early, the rest of the body is discarded.
 * @throws invalid_request with status 413 if a limit is exceeded (immediately if Content-Length exceeds it), or 400 if
 * the body is malformed
 */
export async function* multipartParts(
  request: FastifyRequest,
  limits: MultipartLimits,
): AsyncGenerator<MultipartPart, void> {
  const { raw } = request;
  let text = 0;
  try {
    if (Number(request.headers['content-length'] ?? 0) > limits.totalBytes) throw tooLarge();
    const parts = request.parts();
    const first = parts.next(); // starts the parser, which must attach to the body before `watch` starts reading it
    const budget = watch(raw, limits.totalBytes);
    for (let next = first; ; next = parts.next()) {
      const result = await Promise.race([next, budget.passed]);
      if (result.done === true) return;
      const part = await readable(result.value, budget);
      if (part?.kind === 'text') text += Buffer.byteLength(part.name) + Buffer.byteLength(part.value);
      if (text > limits.textBytes) throw tooLarge();
      if (part) yield part;
    }
  } catch (error) {
    throw faultOf(error);
  } finally {
    letGo(raw);
  }
}

/** Watches whether a body exceeds its size limit. */
interface Budget {
  /** Rejects when the body exceeds the limit. */
  readonly passed: Promise<never>;
  /** Throws invalid_request (413) if the body exceeds the limit. */
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
  passed.catch(() => undefined); // avoids an unhandled rejection if no caller is waiting
  return {
    passed,
    check() {
      if (size > most) throw tooLarge();
    },
  };
}

/**
 * Converts a part from the parser. Returns undefined for an empty file field, which browsers send as a part without a
 * file name or content.
 */
async function readable(part: Multipart, budget: Budget): Promise<MultipartPart | undefined> {
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

/**
 * Returns a 400 for a parser error without a status, because such an error is always caused by the client's body.
 * Returns any other error unchanged.
 */
function faultOf(error: unknown): unknown {
  if (error instanceof PorchlightError || (error instanceof Error && 'statusCode' in error)) return error;
  return malformed('The multipart body is malformed.', error);
}

/**
 * Reads and discards the rest of a body, and closes the connection after `graceBytes`. Detaches the body from the
 * parser, which would buffer all arriving data.
 */
export function letGo(raw: IncomingMessage): void {
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
