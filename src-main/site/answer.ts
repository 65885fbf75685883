import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { markupOf, policyOf, type Page } from '../http/page.ts';

/** Sends a page that browsers may store but must revalidate each time, so that a deleted page is gone at once. */
export function sendSitePage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page,
  { status = 200, changedAt }: { status?: number; changedAt?: string } = {},
): FastifyReply {
  reply.code(status).header('content-security-policy', policyOf(page));
  return sendText(request, reply, {
    type: 'text/html; charset=utf-8',
    text: taggedText(markupOf(page)),
    changedAt,
  });
}

/** A text to send, with an ETag of its content. */
export interface TaggedText {
  readonly body: Buffer;
  readonly etag: string;
}

export function taggedText(text: string): TaggedText {
  const body = Buffer.from(text);
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` };
}

/** Sends a text with its ETag, or 304 to a client that already has the text (RFC 9110, 13.1.2). */
export function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    type,
    text: { body, etag },
    changedAt,
  }: { type: string; text: TaggedText; changedAt?: string | undefined },
): FastifyReply {
  reply.header('etag', etag).header('cache-control', 'no-cache');
  if (changedAt !== undefined && !Number.isNaN(Date.parse(changedAt)))
    reply.header('last-modified', new Date(changedAt).toUTCString());
  if (reply.statusCode === 200 && isKnown(request.headers['if-none-match'], etag))
    return reply.code(304).send();
  return reply.type(type).send(body);
}

/** Compares ETags weakly: an intermediary may have weakened the tag (RFC 9110, 8.8.3.2). */
function isKnown(header: string | undefined, etag: string): boolean {
  const known = (header ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}
