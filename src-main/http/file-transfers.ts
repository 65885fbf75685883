import { Readable } from 'node:stream';
import type { FastifyPluginCallback } from 'fastify';
import { Type } from 'typebox';
import { archiveUploadBytes } from '../contract/data.ts';
import { PorchlightError } from '../contract/error.ts';
import { closed } from '../contract/shapes.ts';
import { isValid } from '../storage/schema-check.ts';
import { invalidRequest, nothingHere } from './errors.ts';
import { letGo } from './multipart.ts';

/** A file that the owner's browser saves. */
export interface OfferedFile {
  /** The name under which the browser saves the file: letters, digits, hyphens and dots. */
  readonly name: string;
  readonly bytes: number;
  readonly content: Readable;
  /** Call it when the response has ended. `isWhole`: whether all of the file was sent. Never rejects. */
  ended(isWhole: boolean): Promise<void>;
}

/** The files that pass between the owner's browser and this server. */
export interface FileTransfers {
  /** Returns the file that is offered under an id, and ends the offer; undefined if there is none. */
  take(id: string): Promise<OfferedFile | undefined>;
  /**
   * Stores a file from the owner's browser. Returns its path.
   * @throws PorchlightError `invalid_request` (413, 400), `storage_full`, `storage_unwritable`
   */
  receive(upload: UploadedFile): Promise<{ path: string }>;
}

export interface UploadedFile {
  /** The file's name on the owner's computer. */
  readonly name: string;
  readonly bytes: number;
  readonly content: AsyncIterable<Uint8Array>;
}

/**
 * Registers `GET /download/<id>`. A browser can save a file only from a plain link, which sends no header, so the id is
 * the access: it is random, and works once.
 */
export function downloadRoute(transfers: Pick<FileTransfers, 'take'>): FastifyPluginCallback {
  return (api, _options, done) => {
    // A HEAD request would end the offer.
    const options = { exposeHeadRoute: false };
    api.get<{ Params: { id: string } }>('/download/:id', options, async ({ params }, reply) => {
      const download = await transfers.take(params.id);
      if (download === undefined) throw nothingHere();
      const { name, bytes, content } = download;
      reply.raw.once('close', () => void download.ended(reply.raw.writableFinished));
      return reply
        .headers({
          'content-type': 'application/zip',
          'content-disposition': `attachment; filename="${name}"`,
          'content-length': bytes,
        })
        .send(content);
    });
    done();
  };
}

const UploadQuery = closed({ name: Type.String({ minLength: 1, maxLength: 500 }) });

/** Registers `POST /upload?name=...`, whose body is a file. The caller must check that requests come from the owner. */
export function uploadRoute(transfers: Pick<FileTransfers, 'receive'>): FastifyPluginCallback {
  return (api, _options, done) => {
    api.addContentTypeParser('application/octet-stream', (_request, content, parsed) =>
      parsed(null, content),
    );
    api.post('/upload', async ({ body, query, headers, raw }, reply) => {
      try {
        if (!isValid(UploadQuery, query)) throw invalidRequest('The address of an upload needs a name.');
        if (!(body instanceof Readable)) throw invalidRequest('The body of an upload must be the file.');
        const bytes = Number(headers['content-length'] ?? NaN);
        if (!Number.isSafeInteger(bytes))
          throw new PorchlightError('invalid_request', 'An upload needs the header Content-Length.', 411);
        if (bytes > archiveUploadBytes)
          throw new PorchlightError('invalid_request', 'The file is larger than the limit of 4 GB.', 413);
        // A destroyed body would close the connection before the response to a refused file.
        const content = body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
        return { result: await transfers.receive({ name: query.name, bytes, content }) };
      } catch (error) {
        if (!(error instanceof PorchlightError)) throw error;
        // The owner reads the reason, as in the reply to a call.
        const { code, message, status } = error;
        return await reply.code(status).send({ error: { code, message } });
      } finally {
        letGo(raw);
      }
    });
    done();
  };
}
