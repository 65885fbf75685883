import { createHash } from 'node:crypto';
import type { FastifyReply, onRequestHookHandler, onSendHookHandler } from 'fastify';

const words = 'This is a demo. Nothing here is real.';

/**
 * The style of the bar that marks a page as part of a demo. The bar looks like the one in the owner's window. The
 * scroll padding keeps the bar from covering the element that has the focus.
 */
const style = `
html { scroll-padding-bottom: 3.5rem; }
body { padding-bottom: 4rem; }
.demo { position: fixed; inset: auto 0 0; z-index: 100; margin: 0; padding: .4rem 1rem; background: #5b3d0b; color: #fff; font-size: .875rem; text-align: center; }
`;
const styleHash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
const betweenHeadAndBody = '</head>\n<body>';

/** Makes the server send every page of a demo uncompressed, so that `sayItIsADemo` can insert its note. */
export const compressNoDemo: onRequestHookHandler = (request, _reply, done) => {
  delete request.headers['accept-encoding'];
  done();
};

/**
 * Adds a note (with its own style) to every page of a demo, and allows that style in the page's content security
 * policy. Leaves other responses unchanged.
 */
export const sayItIsADemo: onSendHookHandler = (_request, reply, payload, done) => {
  allowStyle(reply);
  const isText = typeof payload === 'string' || Buffer.isBuffer(payload);
  const isPage = isText && String(reply.getHeader('content-type')).startsWith('text/html');
  done(null, isPage ? withNote(payload.toString()) : payload);
};

/**
 * Allows the note's style in a response's content security policy. This also applies to a 304, because the browser uses
 * the headers of a 304 for its cached page.
 */
function allowStyle(reply: FastifyReply): void {
  const policy = reply.getHeader('content-security-policy');
  if (typeof policy === 'string')
    reply.header('content-security-policy', policy.replace('style-src ', `style-src ${styleHash} `));
}

function withNote(page: string): string {
  const note = `<style>${style}</style>\n${betweenHeadAndBody}\n<p class="demo" role="note">${words}</p>`;
  return page.replace(betweenHeadAndBody, note);
}
