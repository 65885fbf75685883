import { Readable } from 'node:stream';
import type { FastifyPluginCallback } from 'fastify';
import { html } from '../http/html.ts';
import { paceOf } from '../http/visitor-cost.ts';
import type { Pace } from '../platform/pace.ts';
import { listedBy, type PostReader } from './reader.ts';
import { isListed } from '../post/visibility.ts';

/** The most URLs that the protocol allows in one file (sitemaps.org). */
const mostAddresses = 50_000;
const atOnce = 200;

interface SitemapDeps {
  readonly posts: PostReader;
  readonly base: () => string;
  readonly now: () => number;
}

/** Serves what search engines need to find all pages: `/sitemap.xml`, and `/robots.txt`, which names it. */
export function sitemapRoutes({ posts, base, now }: SitemapDeps): FastifyPluginCallback {
  return (app, _options, done) => {
    app.get('/sitemap.xml', { exposeHeadRoute: false }, (request, reply) =>
      reply
        .type('application/xml; charset=utf-8')
        .send(Readable.from(sitemap(posts, { base: base(), now: now(), pace: paceOf(request) }))),
    );
    app.head('/sitemap.xml', (_request, reply) => reply.type('application/xml; charset=utf-8').send());

    app.get('/robots.txt', (_request, reply) =>
      reply
        .type('text/plain; charset=utf-8')
        .send(`User-agent: *\nDisallow: /auth\n\nSitemap: ${base()}/sitemap.xml\n`),
    );
    done();
  };
}

/** Writes the sitemap while it is sent, so that only one page of posts is in memory at a time. */
async function* sitemap(
  posts: PostReader,
  { base, now, pace }: { base: string; now: number; pace: Pace },
): AsyncGenerator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n';
  yield html`<url><loc>${base}/</loc></url>\n`.markup;
  let left = mostAddresses - 1;
  let after: string | undefined;
  do {
    const limit = Math.min(atOnce, left);
    await pace.step();
    const found = await posts.list({
      limit,
      ...(after !== undefined && { after }),
      filter: listedBy(now),
    });
    const entries = found.items
      .filter((post) => isListed(post, now))
      .map(
        ({ path, updatedAt }) =>
          html`<url><loc>${new URL(path, base).href}</loc><lastmod>${updatedAt}</lastmod></url>\n`.markup,
      );
    left -= found.items.length;
    after = found.after;
    yield entries.join('');
  } while (after !== undefined && left > 0);
  yield '</urlset>\n';
}
