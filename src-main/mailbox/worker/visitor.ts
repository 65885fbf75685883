import { readBody } from './body.ts';
import type { FormKind } from './kept-requests.ts';

/** The maximum size of a form that may be kept, in bytes. */
const mostFormBytes = 16_384;

const kinds: Readonly<Record<string, FormKind | undefined>> = {
  '/webmention': 'webmention',
  '/websub': 'websub',
};

export interface Visitor {
  readonly request: Request;
  readonly url: URL;
  /** Whether the request is GET or HEAD. Such a request changes nothing, so the Worker may abandon it. */
  readonly readsOnly: boolean;
  /**
   * A form that may be kept. `bytes` is undefined if the form's declared length is too large. In that case, the
   * request's body is still unread.
   */
  readonly form: { readonly kind: FormKind; readonly bytes: Uint8Array<ArrayBuffer> | undefined } | undefined;
}

/**
 * Prepares a visitor's request for forwarding. If its form may be kept, reads the form first, because the body can't
 * be read twice. Returns undefined if the form turns out to be too large during reading.
 */
export async function readVisitor(request: Request): Promise<Visitor | undefined> {
  const url = new URL(request.url);
  const readsOnly = request.method === 'GET' || request.method === 'HEAD';
  const kind = request.method === 'POST' ? kinds[url.pathname] : undefined;
  if (kind === undefined) return { request, url, readsOnly, form: undefined };
  const announced = Number(request.headers.get('content-length') ?? 0);
  if (announced > mostFormBytes) return { request, url, readsOnly, form: { kind, bytes: undefined } };
  const bytes = await readBody(request, mostFormBytes);
  return bytes === undefined ? undefined : { request, url, readsOnly, form: { kind, bytes } };
}
