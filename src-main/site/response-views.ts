import { html, type Html } from '../http/html.ts';
import type { MentionType } from '../contract/webmentions.ts';
import { face, facepile } from './facepile.ts';
import { momentWords } from './moment.ts';
import { countOf, wordsOfCounts, type ResponsePage, type ShownResponse } from './responses.ts';

/** What is said in faces rather than in words. */
const piles = ['like', 'repost', 'bookmark'] as const;

const answerWords: readonly (readonly [string, string])[] = [
  ['yes', 'Going'],
  ['maybe', 'Might go'],
  ['interested', 'Interested'],
  ['no', 'Not going'],
];

/** What others said of a post, to stand inside its h-entry (h-entry: comments). Null where nobody said anything. */
export function responsesMarkup(responses: ResponsePage, address: string): Html | null {
  const total = wordsOfCounts(responses.counts);
  if (total === undefined) return null;
  const { items, counts } = responses;
  const said = items.filter(isSaid);
  return html`<section class="responses" id="responses" aria-labelledby="responses-title">
    <h2 id="responses-title">Responses</h2>
    <p class="soft">${total}</p>
    ${piles.map((type) => facepile(countOf(type, counts[type] ?? 0), facesOf(items, type)))}
    ${answers(responses)}
    ${said.length > 0 && html`<h3 class="hidden">Replies and mentions</h3><ol class="said">${said.map(saidMarkup)}</ol>`}
    ${navigation(responses, address)}
  </section>`;
}

/** The counts of a post in a list, with the way to them. */
export function countsMarkup(words: string | undefined, address: string): Html | null {
  return words === undefined ? null : html`<p><a href="${address}#responses">${words}</a></p>`;
}

function facesOf(items: readonly ShownResponse[], type: MentionType): ShownResponse[] {
  return items.filter((one) => one.type === type);
}

function answers({ items, answers: totals }: ResponsePage): (Html | null)[] {
  const rsvps = facesOf(items, 'rsvp');
  const known = answerWords.map(([answer]) => answer);
  const groups = [
    ...answerWords.map(([answer, words]) => ({ words, isIn: (given: string) => given === answer })),
    { words: 'Answered', isIn: (given: string) => !known.includes(given) },
  ];
  return groups.map(({ words, isIn }) => {
    const count = [...totals].reduce((sum, [answer, number]) => sum + (isIn(answer) ? number : 0), 0);
    return facepile(
      `${words}: ${count.toLocaleString('en-GB')}`,
      rsvps.filter(({ rsvp }) => isIn(rsvp)),
    );
  });
}

/** Replies and mentions, and the words that somebody added to an answer or a bookmark. */
function isSaid({ type, text }: ShownResponse): boolean {
  if (type === 'reply' || type === 'mention') return true;
  return (type === 'rsvp' || type === 'bookmark') && text !== undefined;
}

/** What somebody did besides saying something. */
function deedOf({ type, rsvp }: ShownResponse): string | undefined {
  if (type === 'mention') return 'mentioned this';
  if (type === 'bookmark') return 'bookmarked this';
  const answer = answerWords.find(([name]) => name === rsvp)?.[1] ?? 'Answered';
  return type === 'rsvp' ? answer.toLowerCase() : undefined;
}

function saidMarkup(response: ShownResponse): Html {
  const { type, author, host, source, text } = response;
  // Those with a face above are counted there.
  const className =
    type === 'reply' ? 'u-comment h-cite' : type === 'mention' ? 'u-mention h-cite' : 'h-cite';
  const deed = deedOf(response);
  const name = html`<bdi class="p-name">${author.name}</bdi>`;
  return html`<li class="${className}" id="response-${response.id}">
    <p class="by"><span class="p-author h-card">${face(author)}${
      author.url === undefined
        ? name
        : html`<a class="u-url" href="${author.url}" rel="nofollow ugc">${name}</a>`
    }</span>${deed && html` <span class="soft">${deed}</span>`}
      <span class="soft"><a class="u-url" href="${source}" rel="nofollow ugc">${host}, ${momentOf(response)}</a></span></p>
    ${text && html`<div class="e-content" dir="auto">${text.markup}</div>`}
    ${text?.isCut === true && html`<p><a href="${source}" rel="nofollow ugc">Read more at ${host}</a></p>`}
  </li>`;
}

/** When the source says it was written; of a source that does not say, when it came here. */
function momentOf({ published = '', received }: ShownResponse): Html {
  const words = momentWords(published);
  return words === undefined
    ? html`<time datetime="${received}">${momentWords(received) ?? received}</time>`
    : html`<time class="dt-published" datetime="${published}">${words}</time>`;
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
