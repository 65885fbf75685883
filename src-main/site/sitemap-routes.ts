import type { FastifyInstance } from 'fastify';
import type { SharedAnswer } from '../http/kept-answers.ts';
import type { Frame } from './frame.ts';
import type { SendAnswer } from './list-routes.ts';
import type { PostReader } from '../posts/rendering/reader.ts';
import { sitemapAnswer, sitemapPart } from './sitemap.ts';

interface SitemapDeps {
  readonly posts: PostReader;
  /** Returns the public origin, without a trailing slash. */
  readonly base: () => string;
  readonly send: SendAnswer;
  /** Returns the page-not-found response. */
  readonly nothing: (frame: Frame) => SharedAnswer;
}

/** Adds the routes that help programs find the site's pages: the sitemap, its parts, and robots.txt. */
export function addSitemapRoutes(app: FastifyInstance, { posts, base, send, nothing }: SitemapDeps): void {
  app.get('/sitemap.xml', (request, reply) =>
    send(request, reply, '/sitemap.xml', ({ now }, frame) =>
      sitemapAnswer(posts, { base: frame.base, at: now, pages: frame.info.pages }),
    ),
  );
  app.get<{ Params: { part: string } }>('/sitemap-:part(^\\d{1,6}).xml', (request, reply) => {
    const part = Number(request.params.part);
    return send(request, reply, `/sitemap-${part}.xml`, async (making, frame) => {
      const place = { base: frame.base, at: making.now, pages: frame.info.pages, part };
      return (await sitemapPart(posts, place)) ?? nothing(frame);
    });
  });
  app.get('/robots.txt', (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .send(`User-agent: *\nDisallow: /auth\n\nSitemap: ${base()}/sitemap.xml\n`),
  );
}
