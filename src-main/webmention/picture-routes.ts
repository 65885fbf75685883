import type { FastifyPluginCallback } from 'fastify';
import { PorchlightError } from '../contract/error.ts';

/**
 * Serves GET and HEAD of `/webmention-pictures/<hash>.webp`: the small copies of strangers' pictures. We made each
 * copy, so its type is certain. As a precaution, the headers let browsers do nothing but display it. `read`: returns
 * the picture with a given name (64 hex digits).
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
