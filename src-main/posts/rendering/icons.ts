import type { FastifyPluginCallback } from 'fastify';
import { nothingHere } from '../../http/errors.ts';
import { html, type Html } from '../../http/html.ts';

/** The icon paths that browsers request by default, and the width and height of each icon in pixels. */
const icons = [
  { path: '/favicon.ico', rel: 'icon', edge: 48 },
  { path: '/apple-touch-icon.png', rel: 'apple-touch-icon', edge: 180 },
] as const;

/**
 * Serves the site's icons: the owner's photo, cropped to a square, or a picture of a lamp if there is no photo. `draw`:
 * returns a picture as a square PNG file; null if the picture can't be converted.
 */
export function iconRoutes(
  photo: () => Promise<ServedPhoto | null>,
  draw: (picture: Uint8Array, edge: number) => Promise<Uint8Array | null>,
): FastifyPluginCallback {
  let newest: { readonly name: string | undefined; readonly made: Map<number, Promise<Uint8Array | null>> } =
    {
      name: undefined,
      made: new Map(),
    };

  async function made(edge: number): Promise<Uint8Array | null> {
    const shown = await photo();
    if (newest.name !== (shown?.name ?? '')) newest = { name: shown?.name ?? '', made: new Map() };
    const { made: all } = newest;
    const known = all.get(edge);
    if (known !== undefined) return known;
    const icon = (shown === null ? Promise.resolve(null) : draw(shown.bytes, edge)).then(
      (png) => png ?? draw(porchLamp, edge),
    );
    all.set(edge, icon);
    // A null result can mean that too many pictures were waiting to be converted. It isn't cached, so the next request
    // tries again.
    if ((await icon) === null) all.delete(edge);
    return icon;
  }

  return (app, _options, done) => {
    for (const { path, edge } of icons) {
      app.get(path, async (_request, reply) => {
        const icon = await made(edge);
        if (icon === null) throw nothingHere();
        return reply
          .header('cache-control', 'public, max-age=3600')
          .header('cross-origin-resource-policy', 'cross-origin') // lets feed readers show the icon
          .header('content-security-policy', "default-src 'none'; sandbox")
          .type('image/png')
          .send(Buffer.from(icon));
      });
    }
    done();
  };
}

/** Returns the links to the icons. `version` changes with the photo, so that browsers fetch new icons at once. */
export function iconLinks(version: string): Html {
  return html`${icons.map(
    ({ path, rel, edge }) =>
      html`<link rel="${rel}" href="${path}?v=${version}" sizes="${edge}x${edge}" type="image/png">\n`,
  )}`;
}

/** The owner's photo as a WebP file. `name` changes whenever the content changes. */
export interface ServedPhoto {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Returns a photo as a data URL, for a page that can't load it from the site. */
export const photoUrl = ({ bytes }: ServedPhoto): string =>
  `data:image/webp;base64,${bytes.toString('base64')}`;

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

/** A picture of a lamp: the site's icon if the owner has no photo. */
const porchLamp =
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512" width="512" height="512">
<rect width="512" height="512" rx="96" fill="#1e2439"/>
<circle cx="256" cy="300" r="200" fill="#f2a93b" fill-opacity="0.22"/>
<circle cx="256" cy="300" r="140" fill="#ffc869" fill-opacity="0.35"/>
<path d="M256 60v70" stroke="#0f1320" stroke-width="18" stroke-linecap="round"/>
<path d="M136 214q120-150 240 0z" fill="#0f1320"/>
<path d="M160 222h192l-30 170H190z" fill="#ffd68a"/>
<path d="M180 398h152l-20 38H200z" fill="#0f1320"/>
</svg>`);
