import type { FastifyPluginCallback } from 'fastify';
import { nothingHere } from '../../http/errors.ts';
import { html, type Html } from '../../http/html.ts';
import type { ServedPhoto } from './owner-photo.ts';
import { porchLamp } from './porch-lamp.ts';

/** The icon paths that browsers request by default, and the width and height of each icon in pixels. */
const icons = [
  { path: '/favicon.ico', rel: 'icon', edge: 48 },
  { path: '/apple-touch-icon.png', rel: 'apple-touch-icon', edge: 180 },
] as const;

interface IconDeps {
  /** Returns the photo that the site shows; null if there is none. */
  readonly photo: () => Promise<ServedPhoto | null>;
  /** Returns a picture as a square PNG file; null if the picture can't be converted. */
  readonly draw: (picture: Uint8Array, edge: number) => Promise<Uint8Array | null>;
}

/** Serves the site's icons: the owner's photo, cropped to a square, or a picture of a lamp if there is no photo. */
export function iconRoutes({ photo, draw }: IconDeps): FastifyPluginCallback {
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
