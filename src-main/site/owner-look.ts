import { html } from '../http/html.ts';
import { noticeStyle, type OwnerLook } from '../http/page.ts';
import type { ServedPhoto } from '../posts/rendering/icons.ts';
import { type Frame, framedHead, homeLink } from './frame.ts';

/**
 * Returns the look of the owner's site, for pages that don't belong to the site. `photo`: the owner's photo, to embed in
 * the page; null to link to it as the site does.
 */
export function ownerLook(frame: Frame, photo: ServedPhoto | null): OwnerLook {
  const { info, appearance, base } = frame;
  return {
    name: info.name,
    dressed: ({ head, ...page }) => ({
      ...page,
      title: page.title.includes(info.name) ? page.title : `${page.title} – ${info.name}`,
      style: `${appearance.style}\n${noticeStyle}`,
      mediaFrom: `'self' ${new URL(base).origin}`,
      head: html`${framedHead(frame)}${head}`,
      body: html`<header class="column">${homeLink(frame, photo)}</header>
${page.body}`,
    }),
  };
}
