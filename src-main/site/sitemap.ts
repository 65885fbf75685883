import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { html, type Html } from '../http/html.ts';
import type { SharedAnswer } from '../http/kept-answers.ts';
import type { PublicAnswer } from '../http/page.ts';
import { listedBy, type PostReader } from '../posts/rendering/reader.ts';
import { isListed } from '../posts/visibility.ts';
import { isElsewhere } from './found-post.ts';
import type { Frame } from './frame.ts';
import type { SendAnswer } from './list-routes.ts';

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

interface SitemapView {
  readonly base: string;
  /** The current time, in ms. */
  readonly at: number;
  /** The pages that the owner wrote. */
  readonly pages: readonly { readonly slug: string }[];
}

const postsInPart = 5000;
/** The number of posts to read before the event loop runs other work. */
const atOnce = 50;

/** Returns the sitemap (sitemaps.org) at `at` (ms). On a large site, it lists the sitemap's parts. */
async function sitemapAnswer(posts: PostReader, { base, at, pages }: SitemapView): Promise<PublicAnswer> {
  const cursors = await posts.cursorsEvery(postsInPart, at);
  if (cursors.length === 0) return answer('urlset', await postsFrom(posts, { base, at, pages }));
  const parts = [undefined, ...cursors].map(
    (_, index) => html`<sitemap><loc>${base}/sitemap-${index + 1}.xml</loc></sitemap>\n`,
  );
  return answer('sitemapindex', parts);
}

/** Returns a part of a large site's sitemap, or undefined if there is no such part. Part numbers start at 1. */
async function sitemapPart(
  posts: PostReader,
  { base, at, pages, part }: SitemapView & { part: number },
): Promise<PublicAnswer | undefined> {
  const cursors = await posts.cursorsEvery(postsInPart, at);
  if (part < 1 || cursors.length === 0 || part > cursors.length + 1) return undefined;
  return answer('urlset', await postsFrom(posts, { base, at, pages, after: cursors[part - 2] }));
}

function answer(element: 'urlset' | 'sitemapindex', entries: readonly Html[]): PublicAnswer {
  const text = entries.map(({ markup }) => markup).join('');
  return {
    type: 'application/xml; charset=utf-8',
    text: `<?xml version="1.0" encoding="UTF-8"?>\n<${element} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${text}</${element}>\n`,
  };
}

/** Returns the entries of one part. The first part includes the home page and the owner's pages. */
async function postsFrom(
  posts: PostReader,
  { base, at, pages, after }: SitemapView & { after?: string | undefined },
): Promise<Html[]> {
  const entries =
    after === undefined
      ? ['', ...pages.map(({ slug }) => slug)].map((path) => html`<url><loc>${base}/${path}</loc></url>\n`)
      : [];
  let cursor = after;
  for (let left = postsInPart; left > 0; left -= atOnce) {
    const found = await posts.list({
      limit: atOnce,
      ...(cursor !== undefined && { after: cursor }),
      filter: listedBy(at),
      isBegun: true,
    });
    for (const post of found.items)
      // Posts on the owner's own site are left out, because a sitemap may list only URLs of its own host.
      if (isListed(post, at) && !isElsewhere(post))
        entries.push(
          html`<url><loc>${new URL(post.path, base).href}</loc><lastmod>${post.updatedAt}</lastmod></url>\n`,
        );
    cursor = found.after;
    if (cursor === undefined) break;
    await setImmediate();
  }
  return entries;
}
