import type { KeptRequest } from '../../platform/mailbox-protocol.ts';
import { hostOf, siteOfHost } from '../../platform/site-name.ts';

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

const longestUrl = 2048;
const mostFields = 10;
const longestValue = 2048;
/** The maximum length of a kept request as JSON, in characters. */
const mostKeptLength = 20_000;

/**
 * A request that may be kept, its site and its target. Items of the same site share one limit. The mailbox keeps the
 * request only if `targetHost` belongs to the server.
 */
export interface Keepable {
  readonly request: KeptRequest;
  /** The site of the mention's source, or of the WebSub callback. */
  readonly site: string;
  /** The host of the mention's target; null if the request is for the server itself. */
  readonly targetHost: string | null;
}
type FormKind = KeptRequest['kind'];

/**
 * Reads the form of a request that may be kept. If the form is invalid, returns a message that describes the problem.
 */
export function keepableIn(kind: FormKind, form: Uint8Array): Keepable | string {
  const fields = new URLSearchParams(new TextDecoder().decode(form));
  const found = kind === 'webmention' ? mentionIn(fields) : subscriptionIn(fields);
  // JSON can turn one character into six, so check the length of the JSON too.
  const isLarge = typeof found !== 'string' && JSON.stringify(found.request).length > mostKeptLength;
  return isLarge ? 'The form is too large.' : found;
}

function mentionIn(fields: URLSearchParams): Keepable | string {
  const source = addressIn(fields, 'source');
  if (typeof source === 'string') return source;
  const target = addressIn(fields, 'target');
  if (typeof target === 'string') return target;
  if (source.url.href === target.url.href) return 'source and target must be different pages.';
  return {
    request: { kind: 'webmention', source: source.text, target: target.text },
    site: siteOfHost(hostOf(source.url)),
    targetHost: target.url.host,
  };
}

function subscriptionIn(fields: URLSearchParams): Keepable | string {
  const kept = [...fields].filter(([name]) => name.startsWith('hub.'));
  if (kept.length > mostFields) return `The form must have at most ${mostFields} fields.`;
  if (kept.some(([name, value]) => name.length > longestValue || value.length > longestValue))
    return `Each field must have at most ${longestValue} characters.`;
  if (new Set(kept.map(([name]) => name)).size < kept.length) return 'Each field must appear once.';
  const mode = fields.get('hub.mode');
  if (mode !== 'subscribe' && mode !== 'unsubscribe') return 'hub.mode must be subscribe or unsubscribe.';
  const callback = addressIn(fields, 'hub.callback');
  if (typeof callback === 'string') return callback;
  const topic = addressIn(fields, 'hub.topic');
  if (typeof topic === 'string') return topic;
  return {
    request: { kind: 'websub', fields: Object.fromEntries(kept) },
    site: siteOfHost(hostOf(callback.url)),
    targetHost: null,
  };
}

function addressIn(fields: URLSearchParams, name: string): { text: string; url: URL } | string {
  const [text, ...more] = fields.getAll(name);
  if (text === undefined || more.length > 0) return `The parameter ${name} must appear once.`;
  const url = text.length <= longestUrl && URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:'
    ? { text, url }
    : `${name} must be an http or https URL of at most ${longestUrl} characters.`;
}

/**
 * Reads a body of at most `most` bytes. If the body is larger, stops reading and returns undefined.
 * @throws if the connection breaks
 */
export async function readBody(request: Request, most: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > most) return undefined;
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
  for (;;) {
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) break;
    length += chunk.value.length;
    if (length > most) {
      await reader?.cancel();
      return undefined;
    }
    chunks.push(chunk.value);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
