import { access } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyPluginCallback } from 'fastify';
import { PorchlightError } from '../contract/error.ts';
import { answerError } from '../http/error-answers.ts';
import { nothingHere } from '../http/errors.ts';
import { partsOfFileName, mediaPath, type FileNameParts } from './media-name.ts';
import type { MediaFile, MediaStore } from './media-store.ts';
import { mediaKindOf, typeOfEnding, type TakenType } from './media-types.ts';
import type { PictureVersions } from './picture-versions.ts';
import { versionNameIn } from './media-address.ts';

interface Params {
  year: string;
  month: string;
  file: string;
}

const aYearMs = 365 * 24 * 60 * 60 * 1000;

/**
 * Serves uploaded files by GET and HEAD, whole or in ranges (MP-72, MP-74), and the smaller versions of pictures. The
 * file at a URL never changes, so clients may cache it forever. Serves only files that the store lists.
 */
export function mediaFiles(
  store: Pick<MediaStore, 'get' | 'isDeleted' | 'fileOf'>,
  versions: Pick<PictureVersions, 'of' | 'stateOf' | 'fileOf'>,
): FastifyPluginCallback {
  /** Returns the path on disk of the version of a picture; undefined if it doesn't exist yet. */
  async function versionOnDisk(file: MediaFile, ending: string): Promise<string | undefined> {
    if ((await versions.of(file)).includes(ending)) return versions.fileOf(file, ending);
    if ((await versions.stateOf(file)) === 'made') throw nothingHere();
    return undefined;
  }

  return (app, _options, done) => {
    void app.register(fastifyStatic, {
      serve: false,
      contentType: false, // headersOf sets the type instead
      maxAge: aYearMs,
      immutable: true,
      // Error responses have a different content type, so set these headers only when a file is sent.
      setHeaders(reply, file) {
        const parts = partsOfServed(basename(file));
        if (parts !== undefined) for (const [name, value] of headersOf(parts)) reply.header(name, value);
      },
    });
    app.setErrorHandler(async (error: Parameters<typeof answerError>[0], request, reply) => {
      // The response to an unsatisfiable range states the file's length (RFC 9110, 15.5.17).
      const range = 'headers' in error ? rangeIn(error.headers) : undefined;
      if (range !== undefined) reply.header('content-range', range);
      await answerError(error, request, reply);
    });

    app.get<{ Params: Params }>('/media/:year/:month/:file', async ({ params }, reply) => {
      const version = versionNameIn(params.file);
      const name = version?.original ?? params.file;
      const path = mediaPath({ month: `${params.year}/${params.month}`, file: name });
      const file = await store.get(path);
      if (file === undefined) {
        if (await store.isDeleted(path)) throw new PorchlightError('gone', 'This file was deleted.', 410);
        throw nothingHere();
      }
      const onDisk = version ? await versionOnDisk(file, version.ending) : store.fileOf(file);
      // After a restore, pages elsewhere may name versions that must be made again.
      if (onDisk === undefined) return reply.header('cache-control', 'no-store').redirect(path, 302);
      // Somebody may have deleted the file manually, and sendFile would send an error response of its own.
      await access(onDisk).catch(() => {
        throw nothingHere();
      });
      reply
        .header('content-security-policy', policyFor(version ? 'image/webp' : file.type))
        .header('cross-origin-resource-policy', 'cross-origin'); // lets other sites embed the file
      return reply.sendFile(basename(onDisk), dirname(onDisk));
    });
    done();
  };
}

/** Returns what the name of a file on disk says about an upload, or about a version of a picture. */
function partsOfServed(name: string): FileNameParts | undefined {
  const version = versionNameIn(name);
  if (version === undefined) return partsOfFileName(name);
  const parts = partsOfFileName(version.original);
  const type = typeOfEnding(version.ending.slice(version.ending.lastIndexOf('.') + 1));
  return parts && type && { name: `${parts.name}.${version.ending}`, type };
}

function headersOf({ name, type }: FileNameParts): [string, string][] {
  return [
    ['content-type', contentType(type)],
    ['content-disposition', `inline; filename="${name}"`],
    // Without `cdn-cache-control`, caches such as the tunnel's could serve a deleted file for a year (RFC 9213).
    ['cdn-cache-control', 'max-age=300'],
  ];
}

/**
 * Returns the Content-Type header. Adds a charset only to text, because all accepted text is UTF-8. Other types get no
 * charset, because micropub.rocks compares image types exactly.
 */
const contentType = (type: TakenType) => (type === 'text/plain' ? 'text/plain; charset=utf-8' : type);

/** Returns the content security policy of a file. No file can run scripts or load other files. */
function policyFor(type: string): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  // Browsers don't show PDFs in a sandbox. A PDF has no access to pages and cookies anyway.
  if (type === 'application/pdf') return policy;
  const kind = mediaKindOf(type);
  // To play video or audio, a browser creates a page that loads the file, so the policy must allow media.
  return kind === 'video' || kind === 'audio' ? `${policy}; media-src 'self'; sandbox` : `${policy}; sandbox`;
}

function rangeIn(headers: unknown): string | undefined {
  if (typeof headers !== 'object' || headers === null || !('Content-Range' in headers)) return undefined;
  const range = headers['Content-Range'];
  return typeof range === 'string' ? range : undefined;
}
