import type { FastifyRequest } from 'fastify';
import type { Making, SharedAnswer } from '../http/kept-answers.ts';
import { pageAnswer, redirectAnswer, type PublicAnswer } from '../http/page.ts';
import { builtInUrl } from '../posts/address.ts';
import { foundPost } from './found-post.ts';
import type { Frame } from './frame.ts';
import { queryOf } from './list-routes.ts';
import { nothingPage, postPage, recentPosts, tombstonePage } from './post-page.ts';
import { responsePage, strangersTexts } from './responses.ts';
import type { SiteViews, ViewDeps } from './site-views.ts';

/** Returns functions that answer requests for posts: with their pages, or with what is there in their place. */
export function postAnswers(
  { posts, responses }: Pick<ViewDeps, 'posts' | 'responses'>,
  { framedAnswer, newest, viewOf, besideOf, responsesTo, askForCited }: SiteViews,
) {
  const textOf = strangersTexts();

  /** Returns the page for visitors who follow a link to missing (404) or deleted (410) content. */
  function lost(status: 404 | 410, { base: at }: Frame): SharedAnswer {
    const page = status === 404 ? nothingPage : tombstonePage;
    return {
      sharedKey: `${at} ${status}`,
      make: (making) =>
        framedAnswer(making, at, async ({ now: time }, frame) => {
          const recent = await newest(recentPosts, time);
          return pageAnswer(page(await viewOf(recent, frame), recent), { status });
        }),
    };
  }

  async function post(
    path: string,
    requested: unknown,
    making: Making,
    frame: Frame,
  ): Promise<PublicAnswer | SharedAnswer> {
    const found = await foundPost({ posts, now: () => making.now }, path);
    switch (found?.kind) {
      case 'post': {
        const { post: one } = found;
        askForCited([one], frame);
        const view = await viewOf([one], frame);
        const said = await responsePage(await responsesTo(one, making), requested, {
          picture(url, kind) {
            making.shows('pictures');
            return responses.picture(url, kind);
          },
          textOf,
        });
        const beside = await besideOf(one, making.now, frame);
        // Responses and other posts can change without changing the post's date. A page that shows them therefore has an
        // ETag, but no Last-Modified header.
        const isAlone = said.items.length === 0 && !beside.older && !beside.newer;
        return pageAnswer(postPage(view, one, said, beside), isAlone ? { changedAt: one.updatedAt } : {});
      }
      case 'gone':
        return lost(410, frame);
      case 'moved':
        return redirectAnswer(found.url ?? builtInUrl(frame.base, found.path), 301);
      case undefined:
        return lost(404, frame);
    }
  }

  /** Returns the response to a request for the path of a post with a slash at its end. `path`: without the slash. */
  async function slash(
    path: string,
    request: FastifyRequest,
    making: Making,
    frame: Frame,
  ): Promise<PublicAnswer | SharedAnswer> {
    const found = await foundPost({ posts, now: () => making.now }, path);
    if (found?.kind !== 'post') return post(path, undefined, making, frame);
    return redirectAnswer(builtInUrl(frame.base, found.post.path) + queryOf(request), 301);
  }

  return { post, slash, lost };
}
