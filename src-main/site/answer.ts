import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { markupOf, policyOf, type Page } from '../http/page.ts';

/** Sends a page that may be kept, but is asked for again each time: what is deleted is gone at once. */
export function sendSitePage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page,
  { status = 200, changedAt }: { status?: number; changedAt?: string } = {},
): FastifyReply {
  reply.code(status).header('content-security-policy', policyOf(page));
  return sendText(request, reply, { type: 'text/html; charset=utf-8', text: markupOf(page), changedAt });
}

/** Sends a text with an ETag of what it says; 304 to whoever has it already (RFC 9110, 13.1.2). */
export function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, text, changedAt }: { type: string; text: string; changedAt?: string | undefined },
): FastifyReply {
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  reply.header('etag', etag).header('cache-control', 'no-cache');
  if (changedAt !== undefined && !Number.isNaN(Date.parse(changedAt)))
    reply.header('last-modified', new Date(changedAt).toUTCString());
  if (reply.statusCode === 200 && isKnown(request.headers['if-none-match'], etag))
    return reply.code(304).send();
  return reply.type(type).send(text);
}

/** Compared weakly: what stands between may have weakened the tag (RFC 9110, 8.8.3.2). */
function isKnown(header: string | undefined, etag: string): boolean {
  const known = (header ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}
