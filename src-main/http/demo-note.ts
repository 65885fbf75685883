import { createHash } from 'node:crypto';
import type { FastifyReply, onSendHookHandler } from 'fastify';

const words = 'This is a demo. Nothing here is real.';

/** Like the bar in the owner's window. What has the focus never hides behind it. */
const style = `
html { scroll-padding-bottom: 3.5rem; }
body { padding-bottom: 4rem; }
.demo { position: fixed; inset: auto 0 0; z-index: 100; margin: 0; padding: .4rem 1rem; background: #5b3d0b; color: #fff; font-size: .875rem; text-align: center; }
`;
const styleHash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
const betweenHeadAndBody = '</head>\n<body>';

/** Adds a note to every page of a demo, with its style and the permission for it. Other answers stay as they are. */
export const sayItIsADemo: onSendHookHandler = (_request, reply, payload, done) => {
  allowStyle(reply);
  const isText = typeof payload === 'string' || Buffer.isBuffer(payload);
  const isPage = isText && String(reply.getHeader('content-type')).startsWith('text/html');
  done(null, isPage ? withNote(payload.toString()) : payload);
};

/** Also for a 304, which has no text: the browser applies its headers to the page that it kept. */
function allowStyle(reply: FastifyReply): void {
  const policy = reply.getHeader('content-security-policy');
  if (typeof policy === 'string')
    reply.header('content-security-policy', policy.replace('style-src ', `style-src ${styleHash} `));
}

function withNote(page: string): string {
  const note = `<style>${style}</style>\n${betweenHeadAndBody}\n<p class="demo" role="note">${words}</p>`;
  return page.replace(betweenHeadAndBody, note);
}
