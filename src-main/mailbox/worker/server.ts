import {
  nonceHeader,
  offStatus,
  pingPath,
  proofHeader,
  provedText,
  signatureHeader,
} from '../../platform/mailbox-protocol.ts';
import { isMac } from './signature.ts';
import type { Visitor } from './visitor.ts';

/**
 * How long to wait for the start of the server's response before checking whether the server responds at all, in ms.
 */
const patience = { reading: 5_000, longPoll: 40_000, other: 30_000 };
/** How much longer to wait for a response, in ms, if the server responds to other requests. */
const longestWait = 90_000;
/** How long to wait for the response when checking whether the server responds at all, in ms. */
const pingPatience = 4_000;
/** How many proofs a response may have: one for the current key, one for the previous key. */
const mostProofs = 2;
const longPoll = /^\/auth\/requests\/[^/]+\/state$/;

/** An attempt to get a response from the server. */
export interface Attempt {
  /** The response; undefined if there was none. Never rejects. */
  readonly answer: Promise<ServerAnswer | undefined>;
  /**
   * Resolves to true if the server responds to other requests. One failed request proves nothing about the server,
   * because the cause may be the request itself.
   */
  isThere(): Promise<boolean>;
  giveUp(): void;
}
export interface ServerAnswer {
  readonly response: Response;
  /** Whether the response contains a valid proof that the server sent it. A status alone proves nothing. */
  readonly isProved: boolean;
}

/** Forwards a request to the server. */
export function askServer(visitor: Visitor, proofKey: string): Attempt {
  const stop = new AbortController();
  let ping: Promise<boolean> | undefined;
  const isThere = () => (ping ??= pingServer(visitor.url, proofKey).then((found) => found !== undefined));

  /**
   * Stops waiting for the response: at once if the server doesn't respond to other requests either, otherwise after
   * `longestWait`.
   */
  async function late(): Promise<void> {
    if (!(await isThere())) stop.abort();
    else setTimeout(() => stop.abort(), longestWait);
  }

  return {
    answer: ask(visitor, proofKey, stop.signal, late).catch(() => undefined),
    isThere,
    giveUp: () => stop.abort(),
  };
}

/** Checks the server with a small request. Returns undefined if no response with a valid proof arrives. */
export async function pingServer(url: URL, proofKey: string): Promise<'on' | 'off' | undefined> {
  const request = new Request(new URL(pingPath, url), { method: 'HEAD' });
  const visitor = { request, url: new URL(request.url), readsOnly: true, form: undefined };
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), pingPatience);
  try {
    const { response, isProved } = await ask(visitor, proofKey, stop.signal);
    if (!isProved) return undefined;
    return response.status === offStatus ? 'off' : 'on';
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Sends a request to the server. `late`: called if the response takes too long. */
async function ask(
  visitor: Visitor,
  proofKey: string,
  signal: AbortSignal,
  late?: () => Promise<void>,
): Promise<ServerAnswer> {
  const { request } = visitor;
  const nonce = crypto.randomUUID();
  const headers = new Headers(request.headers);
  headers.delete(signatureHeader);
  headers.delete('upgrade');
  // When a Worker requests a URL in its own zone, Cloudflare sends the value of `x-real-ip` as the visitor's address.
  const address = headers.get('cf-connecting-ip');
  if (address === null) headers.delete('x-real-ip');
  else headers.set('x-real-ip', address);
  if (visitor.readsOnly) {
    // For GET and HEAD requests, the runtime sends no body and no content length.
    headers.delete('content-length');
    headers.delete('transfer-encoding');
  }
  headers.set(nonceHeader, nonce);
  const { body, sent } = bodyOf(visitor);
  // The timer starts after the upload, because a slow upload isn't the server's fault.
  let timer: number | null = null;
  let isOver = false;
  const startTimer = () => {
    if (!isOver && late) timer = setTimeout(() => void late(), patienceFor(visitor));
  };
  if (sent === undefined) startTimer();
  else sent.then(startTimer, () => undefined);
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers,
      body,
      redirect: 'manual',
      signal,
      // A response from Cloudflare's cache would prove nothing about the server's current state.
      cache: 'no-store',
    });
    return { response: withoutProof(response), isProved: await isProved(response, nonce, proofKey) };
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

/** Returns a request's body. If sending it may take a while, also returns a promise that resolves once it is sent. */
function bodyOf({ request, readsOnly, form }: Visitor): { body: BodyInit | null; sent?: Promise<void> } {
  if (form?.bytes !== undefined) return { body: form.bytes };
  if (readsOnly || request.body === null) return { body: null };
  const length = request.headers.get('content-length');
  const through = length === null ? new IdentityTransformStream() : new FixedLengthStream(Number(length));
  return { body: through.readable, sent: request.body.pipeTo(through.writable) };
}

function patienceFor({ url, readsOnly, form }: Visitor): number {
  if (longPoll.test(url.pathname)) return patience.longPoll;
  // A form that the mailbox can keep gets the same short time limit as GET and HEAD requests. If the server is late and
  // the mailbox keeps the form too, the form still takes effect only once.
  return readsOnly || form?.bytes !== undefined ? patience.reading : patience.other;
}

async function isProved({ headers }: Response, nonce: string, proofKey: string): Promise<boolean> {
  for (const proof of (headers.get(proofHeader) ?? '').split(', ', mostProofs)) {
    const [, time, mac] = /^(\d{1,16})\.([\w-]{43})$/.exec(proof) ?? [];
    if (time === undefined || mac === undefined) continue;
    if (await isMac(proofKey, provedText(nonce, Number(time)), mac)) return true;
  }
  return false;
}

function withoutProof(response: Response): Response {
  const answer = new Response(response.body, response);
  answer.headers.delete(proofHeader);
  return answer;
}
