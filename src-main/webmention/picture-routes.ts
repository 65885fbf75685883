import type { FastifyPluginCallback } from 'fastify';
import { PorchlightError } from '../contract/error.ts';

/**
 * GET and HEAD of `/webmention-pictures/<hash>.webp`: the small copies of strangers' pictures. We made each of them, so
 * that its type is sure; all the same it may do nothing but be looked at. `read`: the picture of a name of 64 hex digits.
 */
export function pictureRoutes(read: (name: string) => Promise<Buffer | undefined>): FastifyPluginCallback {
  return (app, _options, done) => {
    app.get<{ Params: { file: string } }>('/webmention-pictures/:file', async ({ params }, reply) => {
      const name = /^([0-9a-f]{64})\.webp$/.exec(params.file)?.[1];
      const bytes = name === undefined ? undefined : await read(name);
      if (bytes === undefined)
        throw new PorchlightError('not_found', 'There is nothing at this address.', 404);
      return reply
        .type('image/webp')
        .header('cache-control', 'public, max-age=31536000, immutable')
        .header('x-content-type-options', 'nosniff')
        .header('content-security-policy', "default-src 'none'; sandbox")
        .send(bytes);
    });
    done();
  };
}
