import { allowedHeaders } from '../../platform/mailbox-protocol.ts';

/** How long programs should wait before they retry, in seconds. */
const retryAfterSeconds = 300;

/**
 * The colors are those of the site's default theme (site/themes.ts). The circle before the heading is a porch light
 * that is switched off.
 */
const style = `:root { color-scheme: light dark; --ground: #faf8f5; --surface: #ffffff; --ink: #2b2723; --soft: #6b635a; --line: #e5dfd6; }
@media (prefers-color-scheme: dark) { :root { --ground: #1b1917; --surface: #25221f; --ink: #ede8e1; --soft: #aaa197; --line: #3a3530; } }
body { margin: 0; padding: 12vh 1.25rem 2rem; background: var(--ground); color: var(--ink); font: 1.0625rem/1.6 system-ui, -apple-system, 'Segoe UI', sans-serif; }
main { box-sizing: border-box; max-width: 34rem; margin: 0 auto; padding: 1.5rem 1.75rem; background: var(--surface); border: 1px solid var(--line); border-radius: 14px; }
h1 { margin: 0 0 .5rem; font-size: 1.35rem; line-height: 1.3; }
h1::before { content: ""; display: inline-block; width: .5em; height: .5em; margin-inline-end: .5em; border: .12em solid var(--soft); border-radius: 50%; }
p { margin: .5rem 0 0; text-wrap: pretty; }
a { color: inherit; text-decoration-color: #f2a33a; text-decoration-thickness: .1em; text-underline-offset: .18em; }
a:focus-visible { outline: 3px solid var(--soft); outline-offset: 2px; border-radius: 2px; }`;
let styleHash: string | undefined;

const open = {
  'access-control-allow-origin': '*',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};
const methods = 'GET, HEAD, POST, DELETE';

/** The content of a response: a page for people, JSON for programs. */
interface Said {
  readonly status: number;
  readonly title: string;
  readonly words: string;
  /** The error code for programs; undefined if the response isn't an error. */
  readonly error?: string;
  readonly retryAfter?: boolean;
  /** Whether programs get the same page as people. If not, programs get JSON. */
  readonly page?: boolean;
  /** Whether the page links to the home page, of which the mailbox may have a copy. */
  readonly leadsHome?: boolean;
}

/**
 * Returns the response to a request that only the server could handle. The status is never 4xx, because a 4xx status
 * would make apps discard their tokens.
 */
export function awayAnswer(request: Request, mode: string): Promise<Response> {
  if (request.method === 'OPTIONS') return Promise.resolve(preflight());
  const { pathname } = new URL(request.url);
  const isSignIn = request.method === 'GET' && /^\/(auth(\/|$)|phone$)/.test(pathname);
  const [title, state] =
    mode === 'off'
      ? ['This server is off', 'The owner has turned this server off.']
      : ['This server is asleep', 'The owner’s computer is asleep or not connected.'];
  const act = pathname === '/phone' ? 'approve sign-ins' : 'sign in';
  const advice = isSignIn ? `You can ${act} when it is back. Try again later.` : 'Try again later.';
  return say(request, {
    status: 503,
    title,
    words: `${state} ${advice}`,
    error: 'temporarily_unavailable',
    retryAfter: true,
    page: isSignIn,
    leadsHome: mode !== 'off' && !isSignIn,
  });
}

/** What the mailbox says in other cases. */
const answers = {
  /** The server did not answer in time, although it responds to other requests. */
  late: {
    status: 504,
    title: 'No answer',
    words: 'The server took too long to answer. Try again later.',
    error: 'temporarily_unavailable',
    retryAfter: true,
  },
  /** The mailbox kept the request for the server. */
  kept: {
    status: 202,
    title: 'Accepted',
    words: 'The server is asleep. It will process this request when it is back.',
  },
  /** The mailbox refused the request because too many requests are waiting. */
  crowd: {
    status: 429,
    title: 'Too much is waiting',
    words: 'The server is asleep, and too much is waiting for it. Try again later.',
    error: 'too_many_requests',
    retryAfter: true,
  },
  tooLarge: { status: 413, title: 'Too large', words: 'The form is too large.', error: 'invalid_request' },
  gone: { status: 410, title: 'Deleted', words: 'This page was deleted.', page: true, leadsHome: true },
} as const satisfies Record<string, Said>;

/** Returns one of these responses. */
export const mailboxAnswer = (request: Request, what: keyof typeof answers): Promise<Response> =>
  say(request, answers[what]);

export const invalidAnswer = (request: Request, words: string): Promise<Response> =>
  say(request, { status: 400, title: 'Invalid request', words, error: 'invalid_request' });

function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...open,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': allowedHeaders,
    },
  });
}

async function say(request: Request, said: Said): Promise<Response> {
  const isPage = said.page === true || request.headers.get('accept')?.startsWith('text/html') === true;
  const headers = {
    ...open,
    ...(said.retryAfter === true && { 'retry-after': String(retryAfterSeconds) }),
    'content-type': isPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    'content-security-policy': isPage
      ? `default-src 'none'; style-src '${await hashOfStyle()}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
      : "default-src 'none'; frame-ancestors 'none'",
  };
  const text = isPage ? pageOf(said) : jsonOf(said);
  return new Response(request.method === 'HEAD' ? null : text, { status: said.status, headers });
}

const jsonOf = ({ error, words }: Said) =>
  JSON.stringify(error === undefined ? { message: words } : { error, error_description: words });

/** All texts on this page come from this program, not from visitors, so they need no escaping. */
const pageOf = ({ title, words, leadsHome }: Said) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body><main><h1>${title}</h1><p>${words}</p>${leadsHome === true ? '<p><a href="/">Home page</a></p>' : ''}</main></body>
</html>
`;

async function hashOfStyle(): Promise<string> {
  if (styleHash === undefined) {
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style));
    styleHash = `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
  }
  return styleHash;
}
