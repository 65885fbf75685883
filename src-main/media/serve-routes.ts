import { access } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyPluginCallback } from 'fastify';
import { PorchlightError } from '../contract/error.ts';
import { answerError } from '../http/errors.ts';
import { partsOfFileName, pathOf, type FileNameParts } from './media-name.ts';
import type { MediaStore } from './media-store.ts';
import { kindOf, type TakenType } from './media-types.ts';

interface Params {
  year: string;
  month: string;
  file: string;
}

const aYearMs = 365 * 24 * 60 * 60 * 1000;

/**
 * GET and HEAD of uploaded files, whole or by ranges (MP-72, MP-74). A file never changes under its address, so who has
 * it may keep it for good. Only what the store knows is reached: no path that a visitor writes is looked up on disk.
 */
export function mediaFiles({ store }: { store: MediaStore }): FastifyPluginCallback {
  return (app, _options, done) => {
    void app.register(fastifyStatic, {
      serve: false,
      contentType: false, // from the name's ending it would choose other types than ours
      maxAge: aYearMs,
      immutable: true,
      // Only once it is sure that the file is sent: an error has a type of its own.
      setHeaders(reply, file) {
        const parts = partsOfFileName(basename(file));
        if (parts !== undefined) for (const [name, value] of headersOf(parts)) reply.setHeader(name, value);
      },
    });
    app.setErrorHandler(async (error: Parameters<typeof answerError>[0], request, reply) => {
      // RFC 9110, 15.5.17: a range that is not there is answered with how long the file is.
      const range = 'headers' in error ? rangeIn(error.headers) : undefined;
      if (range !== undefined) reply.header('content-range', range);
      await answerError(error, request, reply);
    });

    app.get<{ Params: Params }>('/media/:year/:month/:file', async ({ params }, reply) => {
      const path = pathOf({ month: `${params.year}/${params.month}`, file: params.file });
      const file = await store.get(path);
      if (file === undefined) {
        if (await store.isDeleted(path)) throw new PorchlightError('gone', 'This file was deleted.', 410);
        throw notFound();
      }
      const onDisk = store.fileOf(file);
      // A person may have removed it; the sender's own answer would not be ours.
      await access(onDisk).catch(() => {
        throw notFound();
      });
      reply
        .header('content-security-policy', policyFor(file.type))
        .header('cross-origin-resource-policy', 'cross-origin'); // other sites show the photos
      return reply.sendFile(basename(onDisk), dirname(onDisk));
    });
    done();
  };
}

const notFound = () => new PorchlightError('not_found', 'There is nothing at this address.', 404);

function headersOf({ name, type }: FileNameParts): [string, string][] {
  return [
    ['content-type', contentType(type)],
    ['content-disposition', `inline; filename="${name}"`],
    // What stands between (the tunnel's) would show a deleted file for a year (RFC 9213).
    ['cdn-cache-control', 'max-age=300'],
  ];
}

/** MR compares the types of pictures to the letter. All text that is taken is UTF-8. */
const contentType = (type: TakenType) => (type === 'text/plain' ? 'text/plain; charset=utf-8' : type);

/** Whatever a file is, it runs no script here, and asks for nothing but itself. */
function policyFor(type: string): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  // Browsers show no PDF in a sandbox; it can not reach a page or its cookies anyway.
  if (type === 'application/pdf') return policy;
  const kind = kindOf(type);
  // The page that a browser makes around a film or a sound loads it as any other would.
  return kind === 'video' || kind === 'audio' ? `${policy}; media-src 'self'; sandbox` : `${policy}; sandbox`;
}

function rangeIn(headers: unknown): string | undefined {
  if (typeof headers !== 'object' || headers === null || !('Content-Range' in headers)) return undefined;
  const range = headers['Content-Range'];
  return typeof range === 'string' ? range : undefined;
}
