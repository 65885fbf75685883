import type { FastifyRequest } from 'fastify';
import type { Authorize } from '../http/authorize.ts';
import { bearerOf } from '../http/bearer.ts';
import { multipartParts, type FilePart } from '../http/multipart.ts';
import { checkMayUpload } from './media-scope.ts';
import type { MediaFile, MediaStore } from './media-store.ts';
import { invalidRequest } from '../http/errors.ts';

/**
 * The limit for the text parts of a form, in bytes. One of them may be the access token, and the others are ignored.
 */
export const uploadTextBytes = 65_536;
/** How many bytes a form may have in addition to its file. */
const around = 1_000_000;

export interface UploadDeps {
  readonly store: MediaStore;
  readonly authorize: Authorize;
  /** Returns the maximum size of a file, in bytes. */
  readonly limitBytes: () => number;
}

/**
 * Receives the part named `file` of a multipart form (Micropub 3.6.3), and ignores other parts. Checks the sender's
 * permission before it stores any byte. Resolves once the file is on disk. If the promise rejects, nothing is stored.
 * @throws BearerError, invalid_request, and errors from MediaStore.add
 */
export async function receiveUpload(deps: UploadDeps, request: FastifyRequest): Promise<MediaFile> {
  const { store, authorize, limitBytes } = deps;
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
      // Check the permission before each part, so that no file is read for an app without permission.
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
