import { html, type Html } from '../http/html.ts';
import { FetchError, type FetchedResponse, type FetchOptions } from '../platform/guarded-fetch.ts';
import { fetchedResponse } from '../platform/fetched-response.ts';
import {
  ownerHue,
  ownerName,
  ownerPhoto,
  ownerSite,
  people,
  strangers,
  type DemoApp,
  type Person,
} from './cast.ts';
import { logo, portraitSvg } from './pictures.ts';
import type { DemoMention } from './year.ts';

export type DemoWeb = ReturnType<typeof createDemoWeb>;

/**
 * Simulates the other sites of the demo. They exist only in this process, and the demo opens no connections to other
 * servers. `base`: Porchlight's public URL, to which the owner's site links.
 */
export function createDemoWeb(base: () => string) {
  const pages = new Map<string, { readonly type: string; readonly body: string }>();
  const putPage = (url: string, { markup }: Html) =>
    pages.set(url, { type: 'text/html; charset=utf-8', body: markup });
  const putDrawing = (url: string, body: string) => pages.set(url, { type: 'image/svg+xml', body });

  for (const person of cast) {
    putDrawing(photoOf(person), portraitSvg(person.hue));
    putPage(`https://${person.host}/`, html`<div class="h-card">${cardOf(person)}</div>`);
  }
  putDrawing(ownerPhoto, portraitSvg(ownerHue));

  async function answer(url: string, options: FetchOptions = {}): Promise<FetchedResponse> {
    const { href, hostname } = new URL(url);
    const page =
      href === ownerSite ? { type: 'text/html', body: ownersPage(base()).markup } : pages.get(href);
    const author = cast.find(({ host }) => host === hostname);
    if (!page && !author)
      throw new FetchError('fetch_failed', new Error('The demo does not connect to other servers.'));
    const { type, body: text } = page ?? { type: 'text/html', body: author ? noteOf(author).markup : '' };
    const headers = { get: (name: string) => (name.toLowerCase() === 'content-type' ? type : null) };
    const body = Buffer.from(text);
    await options.into?.(chunksOf(body), { status: 200, headers });
    const kept = options.into ? new Uint8Array() : body;
    return fetchedResponse({ status: 200, url: href, hops: 1, headers, body: kept });
  }

  return {
    fetch: answer,
    addApp({ name, host, hue }: DemoApp): void {
      const logoUrl = `https://${host}/logo.svg`;
      putDrawing(logoUrl, logo(hue));
      putPage(
        `https://${host}/`,
        html`<div class="h-app">
          <img class="u-logo" alt="" src="${logoUrl}" /><a class="u-url p-name" href="/">${name}</a>
        </div>`,
      );
    },
    /** Adds a page that mentions `target`, and returns the page's URL. `at`: the page's publication time in ms. */
    addMention({ from, kind, text }: DemoMention, target: string, at: number): string {
      const source = `https://${from.host}/${kind}/${pages.size}`;
      putPage(
        source,
        html`<article class="h-entry">
          <div class="p-author h-card">${cardOf(from)}</div>
          <a class="u-${kind}" href="${target}">${target}</a>
          <p class="e-content">${text}</p>
          <time class="dt-published" datetime="${new Date(at).toISOString()}"></time>
        </article>`,
      );
      return source;
    },
  };
}

const cast = [...people, ...strangers];

const photoOf = ({ host }: Person) => `https://${host}/photo.svg`;

const cardOf = (person: Person) =>
  html`<a class="u-url p-name" href="https://${person.host}/">${person.name}</a
    ><img class="u-photo" alt="" src="${photoOf(person)}" />`;

/** Returns the HTML page of a person's note. Some of the owner's posts respond to such notes. */
const noteOf = (person: Person) =>
  html`<title>A note by ${person.name}</title>
    <article class="h-entry">
      <div class="p-author h-card">${cardOf(person)}</div>
      <p class="e-content">${thoughts[person.hue % thoughts.length]}</p>
    </article>`;

const thoughts = [
  'I took the slow website challenge: no page over ten kilobytes, for a month. My posts got shorter and my pages got better.',
  'We meet on the first Thursday, bring a laptop or a notebook, and build something on our own sites. There is cake.',
  'My grandmother kept a diary of the weather for forty years. Today I typed up the first one. It rained.',
  'A good walk has a river, a hill and a bakery. In that order.',
];

const relations = {
  'indieauth-metadata': '/.well-known/oauth-authorization-server',
  authorization_endpoint: '/auth',
  token_endpoint: '/token',
  micropub: '/micropub',
  webmention: '/webmention',
};

/** Returns the owner's home page, which links to Porchlight's endpoints. */
function ownersPage(base: string): Html {
  return html`${Object.entries(relations).map(([rel, path]) => html`<link rel="${rel}" href="${base + path}" />`)}
    <div class="h-card">
      <a class="u-url p-name" href="${ownerSite}">${ownerName}</a>
      <img class="u-photo" alt="" src="${ownerPhoto}" />
    </div>`;
}

async function* chunksOf(body: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(body);
}
