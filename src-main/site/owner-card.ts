import { html, type Html } from '../http/html.ts';
import { authorPhoto } from '../posts/rendering/author.ts';
import type { Frame } from './frame.ts';

/**
 * Returns the header of the home page: the owner's representative h-card (microformats.org/wiki/representative-h-card).
 * `about`: the owner's description of themselves.
 */
export function ownerCard(frame: Frame, about: Html | undefined): Html {
  const { author, info } = frame;
  const { name, tagline, links } = info;
  const isTitled = name !== author.name;
  return html`<div class="h-card">
    <div class="owner">${authorPhoto(frame)}
      <div>
        <h1><a class="${isTitled ? '' : 'p-name '}u-url u-uid" rel="me" href="${author.url}" dir="auto">${name}</a></h1>
        ${isTitled && html`<p class="p-name" dir="auto">${author.name}</p>`}
        ${tagline !== '' && html`<p class="p-note soft" dir="auto">${tagline}</p>`}
        ${
          links.length > 0 &&
          html`<ul class="links" aria-label="Links">${links.map(
            ({ label, url }) =>
              html`<li><a class="u-url" rel="me" href="${url}" dir="auto">${label}</a></li> `,
          )}</ul>`
        }
      </div>
    </div>
    ${about && html`<div class="about p-note" dir="auto">${about}</div>`}
  </div>`;
}
