import type { Socket } from 'node:net';
import { errorPage } from './errors.ts';
import { markupOf, policyOf } from './page.ts';
import { noStoreHeaders, securityHeaders } from './security-headers.ts';

/** How long a client may go on sending after the response, in ms. A connection that closes earlier loses the response. */
const lingerMs = 2_000;

const problems: Readonly<Record<string, { readonly status: string; readonly message: string }>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    message: 'The address or the search is too long. Shorten it, and try again.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    message: 'The request took too long to arrive. Try again.',
  },
};
const unreadable = { status: '400 Bad Request', message: 'This server can’t read the request.' };

/**
 * Responds with an error page to a request that Node.js can't parse, for example because its address and headers exceed
 * 16 KB. Such a request reaches no route and no hook. Closes the connection.
 */
export function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  // The response to an earlier request may be incomplete, and must not be continued with another one.
  const { _httpMessage: current } = socket as { readonly _httpMessage?: { readonly headersSent: boolean } };
  if (error.code === 'ECONNRESET' || !socket.writable || current?.headersSent === true) {
    socket.destroy();
    return;
  }
  const { status, message } = problems[error.code ?? ''] ?? unreadable;
  const page = errorPage(message);
  const body = Buffer.from(markupOf(page));
  const headers = {
    ...securityHeaders,
    ...noStoreHeaders,
    'content-security-policy': policyOf(page),
    'content-type': 'text/html; charset=utf-8',
    'content-length': body.length,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`);
  socket.end(body);
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
