import type { MentionType } from '../contract/webmentions.ts';
import { html, type Html } from '../http/html.ts';
import type { ShownResponse } from './responses.ts';

/**
 * The microformats property for each type of response in a facepile (a row of people's pictures). In microformats, an
 * RSVP is a comment that has an RSVP value.
 */
const properties: Readonly<Partial<Record<MentionType, string>>> = {
  like: 'u-like',
  repost: 'u-repost',
  bookmark: 'u-bookmark',
  rsvp: 'u-comment',
};

/**
 * Returns a row of faces (pictures or initials): one for each person who responded in the same way. Each face links to
 * the source of the response. Returns null if there are no responses.
 */
export function facepile(title: string, responses: readonly ShownResponse[]): Html | null {
  if (responses.length === 0) return null;
  return html`<h3>${title}</h3>
    <ul class="faces">${responses.map(
      ({ type, author, source, rsvp }) =>
        html`<li class="${properties[type] ?? 'u-comment'} h-cite"><a class="u-url" href="${source}" rel="nofollow ugc" title="${author.name}"><span class="p-author h-card">${face(
          author,
        )}<bdi class="p-name hidden">${author.name}</bdi>${author.url && html`<data class="u-url" value="${author.url}"></data>`}</span></a>${
          type === 'rsvp' && html`<data class="p-rsvp" value="${rsvp}"></data>`
        }</li> `,
    )}</ul>`;
}

/** Returns a person's picture, or else their initial; without alt text, because callers add the name beside it. */
export function face({ picture, name }: ShownResponse['author']): Html {
  return picture === undefined
    ? html`<span class="face" aria-hidden="true">${initialOf(name)}</span>`
    : html`<img class="face u-photo" src="${picture}" alt="" width="40" height="40" loading="lazy">`;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Returns the first character of a name as readers see it. A flag emoji, for example, consists of several code points.
 */
function initialOf(name: string): string {
  for (const { segment } of graphemes.segment(
    name.replace(/^[^\p{L}\p{N}\p{Extended_Pictographic}\p{Regional_Indicator}]+/u, ''),
  ))
    return segment.slice(0, 16).toUpperCase();
  return '?';
}
