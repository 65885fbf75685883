import { type MentionType, mentionTypes } from '../contract/mention-types.ts';
import { type RsvpAnswer, rsvpAnswerIn, rsvpAnswers } from '../contract/post-kinds.ts';
import { html, type Html } from '../http/html.ts';
import { dateMarkup, momentWords } from '../posts/rendering/moment.ts';
import { countOf, type ResponsePage, type ShownResponse, wordsOfCounts } from './responses.ts';

/** The response types that pages show as people's pictures instead of as text. */
const piles = ['like', 'repost', 'bookmark'] as const;

/** The answers to an invitation, in the order in which pages show them. */
const answerOrder = ['yes', 'maybe', 'interested', 'no'] as const satisfies readonly RsvpAnswer[];

/** Returns the responses to a post, for use inside its h-entry (h-entry: comments). Returns null if there are none. */
export function responsesMarkup(responses: ResponsePage, address: string, zone?: string): Html | null {
  const { items, counts } = responses;
  if (wordsOfCounts(counts) === undefined) return null;
  const said = items.filter(isSaid);
  const { reply = 0, mention = 0 } = counts;
  return html`<section class="responses" id="responses" aria-labelledby="responses-title">
    <h2 id="responses-title">Responses</h2>
    <div class="piles">${piles.map((type) => facepile(countOf(type, counts[type] ?? 0), facesOf(items, type)))}${answers(responses)}</div>
    ${said.length > 0 && html`<h3>${wordsOfCounts({ reply, mention }) ?? 'Comments'}</h3><ol class="said">${said.map((one) => saidMarkup(one, zone))}</ol>`}
    ${navigation(responses, address)}
  </section>`;
}

/** Returns a post's number of responses as text for a list, linked to the responses. */
export function countsMarkup(words: string | undefined, address: string): Html | null {
  return words === undefined ? null : html`<p><a href="${address}#responses">${words}</a></p>`;
}

function facesOf(items: readonly ShownResponse[], type: MentionType): ShownResponse[] {
  return items.filter((one) => one.type === type);
}

function answers({ items, answers: totals }: ResponsePage): (Html | null)[] {
  const rsvps = facesOf(items, 'rsvp');
  const groups = [
    ...answerOrder.map((answer) => ({
      words: rsvpAnswers[answer].heading,
      isIn: (given: string) => rsvpAnswerIn(given) === answer,
    })),
    { words: 'Answered', isIn: (given: string) => rsvpAnswerIn(given) === undefined },
  ];
  return groups.map(({ words, isIn }) => {
    const count = [...totals].reduce((sum, [answer, number]) => sum + (isIn(answer) ? number : 0), 0);
    return facepile(
      `${words}: ${count.toLocaleString('en-GB')}`,
      rsvps.filter(({ rsvp }) => isIn(rsvp)),
    );
  });
}

/** Returns whether a response appears as text: a reply, a mention, or an RSVP or bookmark that comes with text. */
function isSaid({ type, text }: ShownResponse): boolean {
  if (type === 'reply' || type === 'mention') return true;
  return (type === 'rsvp' || type === 'bookmark') && text !== undefined;
}

/** Returns a description of the response's type, such as `bookmarked this`, to show beside its text. */
function deedOf({ type, rsvp }: ShownResponse): string | undefined {
  if (type === 'mention' || type === 'bookmark') return `${mentionTypes[type].deed} this`;
  if (type !== 'rsvp') return undefined;
  const answer = rsvpAnswerIn(rsvp);
  return (answer === undefined ? 'Answered' : rsvpAnswers[answer].heading).toLowerCase();
}

function saidMarkup(response: ShownResponse, zone: string | undefined): Html {
  const { type, author, host, source, text } = response;
  // A response can be shown twice: as a face (a person's picture) and as text. In that case, only the face gets the
  // microformats property.
  const className =
    type === 'reply' || type === 'mention' ? `${mentionTypes[type].shownAs} h-cite` : 'h-cite';
  const deed = deedOf(response);
  const name = html`<bdi class="p-name">${author.name}</bdi>`;
  return html`<li class="${className}" id="response-${response.id}">
    <p class="by"><span class="p-author h-card">${face(author)}${
      author.url === undefined
        ? name
        : html`<a class="u-url" href="${author.url}" rel="nofollow ugc">${name}</a>`
    }</span>${deed && html` <span class="soft">${deed}</span>`}
      <span class="soft"><a class="u-url" href="${source}" rel="nofollow ugc">${host}, ${momentOf(response, zone)}</a></span></p>
    ${text && html`<div class="e-content" dir="auto">${text.markup}</div>`}
    ${fileMarkup(response)}
    ${text?.isCut === true && html`<p><a href="${source}" rel="nofollow ugc">Read more at ${host}</a></p>`}
  </li>`;
}

/** Returns the file of a response without text: our copy of a photo, or words that lead to the file at its source. */
function fileMarkup({ file, source, host }: ShownResponse): Html | null {
  if (!file) return null;
  const { words, alt, picture, count } = file;
  const link = (shown: Html | string, name = '') =>
    html`<a href="${source}" rel="nofollow ugc"${name !== '' && html` aria-label="${name}"`}>${shown}</a>`;
  const more = count > 1 && html`<p>${link(`${count - 1} more at ${host}`)}</p>`;
  if (picture === undefined)
    return html`<p>${words}${alt !== '' && html`: <bdi>${alt}</bdi>`}. ${link(`See it at ${host}`)}</p>${more}`;
  const image = html`<img class="u-photo" src="${picture}" alt="${alt}" loading="lazy">`;
  return html`<p class="file">${link(image, alt === '' ? `${words} at ${host}` : '')}</p>${more}`;
}

/**
 * Returns a time element for a response. It shows when the response was written according to its source, or else when
 * it arrived.
 */
function momentOf({ published = '', received }: ShownResponse, zone: string | undefined): Html {
  return momentWords(published, zone) === undefined
    ? dateMarkup('', received, zone)
    : dateMarkup('dt-published', published, zone);
}

function navigation({ page, pages }: ResponsePage, address: string): Html | null {
  if (pages === 1) return null;
  const at = (number: number) =>
    number === 1 ? `${address}#responses` : `${address}?responses=${number}#responses`;
  return html`<nav class="pages" aria-label="Pages of responses">
    <span>${page > 1 && html`<a rel="prev" href="${at(page - 1)}">Newer responses</a>`}</span>
    <span class="soft">Page ${page} of ${pages}</span>
    <span>${page < pages && html`<a rel="next" href="${at(page + 1)}">Older responses</a>`}</span>
  </nav>`;
}

/**
 * Returns a row of faces (pictures or initials): one for each person who responded in the same way. Each face links to
 * the source of the response. Returns null if there are no responses.
 */
function facepile(title: string, responses: readonly ShownResponse[]): Html | null {
  if (responses.length === 0) return null;
  return html`<div><h3>${title}</h3>
    <ul class="faces">${responses.map(
      ({ type, author, source, rsvp }) =>
        html`<li class="${mentionTypes[type].shownAs} h-cite"><a class="u-url" href="${source}" rel="nofollow ugc" title="${author.name}"><span class="p-author h-card">${face(
          author,
        )}<bdi class="p-name hidden">${author.name}</bdi>${author.url && html`<data class="u-url" value="${author.url}"></data>`}</span></a>${
          type === 'rsvp' && html`<data class="p-rsvp" value="${rsvp}"></data>`
        }</li> `,
    )}</ul></div>`;
}

/** Returns a person's picture, or else their initial; without alt text, because callers add the name beside it. */
function face({ picture, name }: ShownResponse['author']): Html {
  return picture === undefined
    ? html`<span class="face" aria-hidden="true">${initialOf(name)}</span>`
    : html`<img class="face u-photo" src="${picture}" alt="" width="40" height="40" loading="lazy">`;
}

/** Made at its first use, because a start doesn't need it. */
let graphemes: Intl.Segmenter | undefined;

/**
 * Returns the first character of a name as readers see it. A flag emoji, for example, consists of several code points.
 */
function initialOf(name: string): string {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of graphemes.segment(
    name.replace(/^[^\p{L}\p{N}\p{Extended_Pictographic}\p{Regional_Indicator}]+/u, ''),
  ))
    return segment.slice(0, 16).toUpperCase();
  return '?';
}
