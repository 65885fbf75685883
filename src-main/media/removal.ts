import { formFields, optionalField, requiredField, type Fields } from '../http/form.ts';
import { mediaPathOf } from './media-address.ts';
import { fileNotFound } from './media-queries.ts';
import { maySeeFile } from './media-scope.ts';
import type { MediaFile, MediaStore } from './media-store.ts';
import { invalidRequest } from '../http/errors.ts';

/** Returns the access token in a form. A JSON body must not contain a token (RFC 6750, 2.2). */
export function tokenInBody(body: unknown): string | undefined {
  return optionalField(formFields(body), 'access_token');
}

/**
 * Removes the file that a body with `action=delete` names (MX-26). `file` is undefined if the file was already removed,
 * because repeating the request is not an error. `only`: see onlyFilesOf.
 * @throws invalid_request
 */
export async function removeFile(
  store: MediaStore,
  body: unknown,
  only: string | undefined,
): Promise<{ path: string; file: MediaFile | undefined }> {
  const fields = typeof body === 'string' ? fieldsIn(body) : formFields(body);
  const action = optionalField(fields, 'action');
  if (action === undefined) throw invalidRequest('Send a multipart form with a part named file.');
  if (action !== 'delete') throw invalidRequest('The only supported action is delete.');
  const path = mediaPathOf(requiredField(fields, 'url'));
  if (path === undefined) throw fileNotFound();
  const file = await store.get(path);
  if (file && !maySeeFile(file, only)) throw fileNotFound();
  if (file) return { path, file: await store.delete(path) };
  if (!(await store.isDeleted(path))) throw fileNotFound();
  return { path, file: undefined };
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
