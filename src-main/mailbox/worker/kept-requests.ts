import { hostOf, siteOfHost } from '../../platform/site-name.ts';
import type { KeptRequest } from '../../platform/mailbox-protocol.ts';

const longestAddress = 2048;
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
export type FormKind = KeptRequest['kind'];

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
  const url = text.length <= longestAddress && URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:'
    ? { text, url }
    : `${name} must be an http or https URL of at most ${longestAddress} characters.`;
}
