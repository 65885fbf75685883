import type { FastifyPluginCallback } from 'fastify';
import { nothingHere } from '../../http/errors.ts';

/** The owner's photo as a WebP file. `name` changes whenever the content changes. */
export interface ServedPhoto {
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * Serves the owner's photos. `photos`: returns all photos, the current photo first. Other sites store a photo's URL for
 * years, so the URL of an earlier photo redirects to the current photo.
 */
export function ownerPhotoRoute(photos: () => Promise<readonly ServedPhoto[]>): FastifyPluginCallback {
  return (app, _options, done) => {
    app.get<{ Params: { name: string } }>('/photo/:name', async (request, reply) => {
      const { name } = request.params;
      const all = await photos();
      const now = all.find((photo) => photo.name === name) ?? all[0];
      if (now === undefined || !/^[0-9a-f]{16}\.webp$/.test(name)) throw nothingHere();
      reply.header('cross-origin-resource-policy', 'cross-origin'); // lets other sites show the photo
      if (name !== now.name)
        return reply.header('cache-control', 'public, max-age=300').redirect(`/photo/${now.name}`, 302);
      return reply
        .header('cache-control', 'public, max-age=31536000, immutable')
        .header('cdn-cache-control', 'max-age=300') // keeps a removed photo out of the tunnel's cache (RFC 9213)
        .header('content-security-policy', "default-src 'none'; sandbox")
        .type('image/webp')
        .send(now.bytes);
    });
    done();
  };
}
