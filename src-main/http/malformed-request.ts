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
/** Only a program sends what isn't HTTP, so the response is JSON, as for all errors that programs get. */
const unreadable = {
  status: '400 Bad Request',
  type: 'application/json; charset=utf-8',
  text: JSON.stringify({
    error: 'invalid_request',
    error_description: 'This server can’t read the request.',
  }),
};

/**
 * Responds to a request that Node.js can't parse: with an error page if its address and headers exceed 16 KB or take too
 * long. Such a request reaches no route and no hook. Closes the connection.
 */
export function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  // The response to an earlier request may be incomplete, and must not be continued with another one.
  const { _httpMessage: current } = socket as { readonly _httpMessage?: { readonly headersSent: boolean } };
  if (error.code === 'ECONNRESET' || !socket.writable || current?.headersSent === true) {
    socket.destroy();
    return;
  }
  const problem = problems[error.code ?? ''];
  const page = problem && errorPage(problem.message);
  const { status } = problem ?? unreadable;
  const body = Buffer.from(page ? markupOf(page) : unreadable.text);
  const headers = {
    ...securityHeaders,
    ...noStoreHeaders,
    ...(page && { 'content-security-policy': policyOf(page) }),
    'content-type': page ? 'text/html; charset=utf-8' : unreadable.type,
    'content-length': body.length,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`);
  socket.end(body);
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
