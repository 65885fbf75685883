import type { ServerResponse } from 'node:http';
import { openSite, type Page, type Site } from './client-app.ts';

/** A webmention as a receiver got it. */
export interface Received {
  /** The path of the endpoint, with its query. */
  readonly endpoint: string;
  readonly source: string | null;
  readonly target: string | null;
  readonly contentType: string;
  readonly userAgent: string;
}

export interface Receivers {
  readonly site: Site;
  readonly origin: string;
  readonly received: Received[];
  /** `source -> target` of what came, in order; paths only. */
  notifications(): string[];
  /** A page whose Link header names an endpoint of its own; answers the page's address. */
  add(path: string, answer?: (response: ServerResponse) => void): string;
  /** What comes to an endpoint at `path` is kept, and answered by `answer` (202). */
  endpoint(path: string, answer?: (response: ServerResponse) => void): void;
  close(): Promise<void>;
}

const accepted = (response: ServerResponse): void => void response.writeHead(202).end();

/** Other people's sites, all on one local server, each page with its own way of taking webmentions. */
export async function openReceivers(): Promise<Receivers> {
  const site = await openSite();
  const received: Received[] = [];
  const endpoint: Receivers['endpoint'] = (path, answer = accepted) => {
    site.pages.set(path, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (request.method !== 'POST') {
          response.writeHead(405).end();
          return;
        }
        const form = new URLSearchParams(Buffer.concat(chunks).toString());
        received.push({
          endpoint: request.url ?? '',
          source: form.get('source'),
          target: form.get('target'),
          contentType: request.headers['content-type'] ?? '',
          userAgent: request.headers['user-agent'] ?? '',
        });
        answer(response);
      });
    });
  };
  const pathOf = (address: string | null) => (address === null ? '' : new URL(address).pathname);
  return {
    site,
    origin: site.origin,
    received,
    notifications: () => received.map(({ source, target }) => `${pathOf(source)} -> ${pathOf(target)}`),
    add(path, answer) {
      endpoint(`${path}/webmention`, answer);
      site.pages.set(path, linked(`<${path}/webmention>; rel="webmention"`));
      return site.origin + path;
    },
    endpoint,
    close: () => site.close(),
  };
}

const linked =
  (link: string | string[], body = ''): Page =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': 'text/html', link }).end(body);

const html = (body: string): Page => linked([], body);

/** One way of naming an endpoint, `at` a page of this number; `end` is the one that is meant. */
interface Way {
  readonly words: string;
  readonly page: (end: string, origin: string) => Page;
  /** The endpoint's path; `/end/<number>` where absent. */
  readonly end?: string;
}

const wrong = '/wrong';

/** The ways in which a page names its endpoint, in the order of the well-known discovery tests for senders (1 to 23). */
export const discoveryWays: readonly Way[] = [
  {
    words: 'a Link header without quotes, relative',
    page: (end) => linked(`<${end}>; rel=webmention`, 'x'),
  },
  {
    words: 'a Link header without quotes, absolute',
    page: (end, origin) => linked(`<${origin}${end}>; rel=webmention`),
  },
  { words: 'a link element, relative', page: (end) => html(`<link rel="webmention" href="${end}">`) },
  {
    words: 'a link element, absolute',
    page: (end, origin) => html(`<link rel="webmention" href="${origin}${end}">`),
  },
  {
    words: 'an a element, relative',
    page: (end) => html(`<p><a rel="webmention" href="${end}">here</a></p>`),
  },
  {
    words: 'an a element, absolute',
    page: (end, origin) => html(`<a href="${origin}${end}" rel="webmention">here</a>`),
  },
  {
    words: 'a Link header in strange letters',
    page: (end) => (_request, response) =>
      void response.writeHead(200, ['lInK', `<${end}>; rel=webmention`]).end(),
  },
  { words: 'a Link header with quotes', page: (end) => linked(`<${end}>; rel="webmention"`) },
  {
    words: 'a link element with several relations',
    page: (end) => html(`<link rel="webmention somethingelse" href="${end}">`),
  },
  {
    words: 'a Link header with several relations',
    page: (end) => linked(`<${end}>; rel="webmention somethingelse"`),
  },
  {
    words: 'all three: the header counts',
    page: (end) =>
      linked(
        `<${end}>; rel=webmention`,
        `<link rel="webmention" href="${wrong}"><a rel="webmention" href="${wrong}">no</a>`,
      ),
  },
  {
    words: 'a relation that only begins like it does not count',
    page: (end) =>
      html(`<link rel="not-webmention" href="${wrong}"><a href="${end}" rel="webmention">here</a>`),
  },
  {
    words: 'an element in a comment does not count',
    page: (end) =>
      html(`<!-- <a href="${wrong}" rel="webmention">no</a> --><a rel="webmention" href="${end}">x</a>`),
  },
  {
    words: 'an element in escaped text does not count',
    page: (end) =>
      html(
        `<code>&lt;a href="${wrong}" rel="webmention"&gt;&lt;/a&gt;</code><a rel="webmention" href="${end}">x</a>`,
      ),
  },
  {
    words: 'an empty href is the page itself',
    page: () => html('<link rel="webmention" href="">'),
    end: '/page/15',
  },
  {
    words: 'a before link: the first in the document counts',
    page: (end) => html(`<a href="${end}" rel="webmention">x</a><link rel="webmention" href="${wrong}">`),
  },
  {
    words: 'link before a: the first in the document counts',
    page: (end) => html(`<link rel="webmention" href="${end}"><a href="${wrong}" rel="webmention">x</a>`),
  },
  {
    words: 'several Link headers, one of them it',
    page: (end) => linked([`<${wrong}>; rel="other"`, `<${end}>; rel="webmention"`]),
  },
  {
    words: 'one Link header with several values',
    page: (end) => linked(`<${wrong}>; rel="other", <${end}>; rel="webmention"`),
  },
  {
    words: 'a link element without href does not count',
    page: (end) => html(`<link rel="webmention"><a href="${end}" rel="webmention">x</a>`),
  },
  {
    words: 'an endpoint with a query',
    page: (end) => html(`<link rel="webmention" href="${end}">`),
    end: '/end/21?query=yes&more=1',
  },
  {
    words: 'an endpoint relative to the path of the page',
    page: () => html('<link rel="webmention" href="22/end">'),
    end: '/page/22/end',
  },
  {
    words: 'a page that redirects: relative to where it leads',
    page: () => (_request, response) => void response.writeHead(302, { location: '/moved/page/23' }).end(),
    end: '/moved/page/end-23',
  },
];

/** Puts the pages of all ways on a site; answers their addresses and the endpoints that are meant, in order. */
export function addDiscoveryWays(there: Receivers): { page: string; end: string }[] {
  const { site, origin } = there;
  there.endpoint(wrong);
  site.pages.set('/moved/page/23', html('<link rel="webmention" href="end-23">'));
  return discoveryWays.map(({ page, end }, index) => {
    const path = `/page/${index + 1}`;
    const meant = end ?? `/end/${index + 1}`;
    there.endpoint(meant.split('?', 1)[0]!);
    const answers = site.pages.get(path);
    const shown = page(meant, origin);
    // A page can be its own endpoint.
    site.pages.set(path, (request, response) =>
      (request.method === 'POST' ? (answers ?? shown) : shown)(request, response),
    );
    return { page: origin + path, end: meant };
  });
}
