import { createHash } from 'node:crypto';
import type { FastifyReply, onRequestHookHandler, onSendHookHandler } from 'fastify';
import { createRecent } from '../storage/caches.ts';
import { html, type Html } from './html.ts';
import { styleSheet } from './style-sheet.ts';

const baseCss = styleSheet(import.meta.dirname, 'styles/base.css');
const cardCss = styleSheet(import.meta.dirname, 'styles/card.css');
const noticeCss = styleSheet(import.meta.dirname, 'styles/notice.css');

/** Returns a style sheet without line breaks and indentation, because every page contains it. */
export const packed = (css: string): string => css.replace(/\n\s*/g, ' ').trim();

/** The style that all pages share. Other styles define the colors. */
export const baseStyle = packed(baseCss);

/** What notices in the look of the owner's site have in addition to the style of the site. */
export const noticeStyle = packed(noticeCss);

/**
 * The style of the consent page: one card, in the colors of the site's default theme. On a phone, the button is always
 * in sight, below what it is about.
 */
const pageStyle = [baseStyle, noticeStyle, packed(cardCss)].join('\n');

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** Link and meta elements for the page's head. */
  readonly head?: Html;
  /**
   * A script that enhances the page. The page must also work without the script. The script must be a constant of this
   * program, because the page's content security policy allows any script in this field.
   */
  readonly script?: string;
  /**
   * The CSS of the page; the default is the consent page's style. It must be a constant of this program, or have passed
   * the check in site/css-check.ts, because the page's content security policy allows any CSS in this field.
   */
  readonly style?: string;
  /** Whether the page may have a manifest, its pictures and a service worker, all of this server. */
  readonly isInstallable?: true;
  /** Whether the page appears in the look of the owner's site, with their name and photo, where the app knows it. */
  readonly isOwners?: true;
  /** The sources of images, audio and video, in addition to data: URLs, in the syntax of a content security policy. */
  readonly mediaFrom?: string;
}

/** The look of the owner's site, for pages that don't belong to the site. */
export interface OwnerLook {
  /** The name of the site. */
  readonly name: string;
  /** Returns a page in this look. */
  dressed(page: Page): Page;
}

declare module 'fastify' {
  interface FastifyInstance {
    ownerLook?: () => Promise<OwnerLook>;
  }
}

/** Returns the look of the owner's site; undefined if it is unknown, for example because the data can't be read. */
export async function lookOf({ server }: FastifyReply): Promise<OwnerLook | undefined> {
  try {
    return await server.ownerLook?.();
  } catch (error) {
    server.log.warn({ err: error }, 'the look of the site could not be read');
    return undefined;
  }
}

/** Returns a note for developers. It is folded, because it says nothing to other people. */
export const technicalDetails = (details: Html): Html =>
  html`<details><summary>Technical details</summary>${details}</details>`;

/**
 * A cache of the hashes of recently used styles and scripts. In total, these styles and scripts have at most 1,000,000
 * characters.
 */
const hashes = createRecent<string>(1_000_000);

/** Returns the CSP source expression for a style or script, which is its hash. */
function hashSource(text: string): string {
  const known = hashes.get(text);
  if (known !== undefined) return known;
  const source = `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  hashes.set(text, source, text.length);
  return source;
}

/**
 * Sends an HTML page that loads nothing from other servers. Style and script are inline, and the content security
 * policy allows them by their hashes. Images must be data: URLs, unless `mediaFrom` allows other sources. The policy
 * has no form-action, because Chromium would apply it even to the redirect that leads back to the app after a sign-in.
 */
export async function sendPage(reply: FastifyReply, status: number, page: Page): Promise<void> {
  const look = page.isOwners === true ? await lookOf(reply) : undefined;
  const shown = look?.dressed(page) ?? page;
  await reply
    .code(status)
    .header('content-security-policy', policyOf(shown))
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(markupOf(shown));
}

/** Returns the content security policy that allows only what `page` needs. */
export function policyOf({ style = pageStyle, script, mediaFrom, isInstallable }: Page): string {
  const media = mediaFrom === undefined ? '' : ` media-src ${mediaFrom};`;
  const installed = isInstallable === true ? "; worker-src 'self'; manifest-src 'self'" : '';
  const imagesFrom = isInstallable === true ? "'self'" : mediaFrom;
  const images = imagesFrom === undefined ? 'data:' : `data: ${imagesFrom}`;
  const scripts = script === undefined ? "'none'" : hashSource(script);
  return `default-src 'none'; style-src ${hashSource(style)}; script-src ${scripts}; connect-src 'self'; img-src ${images};${media} base-uri 'none'; frame-ancestors 'none'${installed}`;
}

/**
 * Returns a page as an HTML document. Its style and script stay exactly as they are, because the policy contains their
 * hashes.
 */
export function markupOf({ title, body, head, script, style = pageStyle }: Page): string {
  const styleElement: Html = { markup: `<style>${style}</style>` };
  const scriptElement: Html | null = script === undefined ? null : { markup: `<script>${script}</script>` };
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${head}
${styleElement}
</head>
<body>
${body}
${scriptElement}
</body>
</html>
`;
  return page.markup;
}

/** A response that is the same for everybody. It depends only on the request's URL and `Accept-Encoding` header. */
export interface PublicAnswer {
  /** The HTTP status; 200 if absent. */
  readonly status?: number;
  readonly type: string;
  /** Additional headers. If `cache-control` is missing, its value is `no-cache`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Returns a page as a response. `changedAt`: the time of the page's last change (ISO 8601); undefined if unknown. */
export function pageAnswer(
  page: Page,
  { status = 200, changedAt = '' }: { status?: number; changedAt?: string } = {},
): PublicAnswer & { readonly headers: Readonly<Record<string, string>> } {
  const changed = Date.parse(changedAt);
  return {
    status,
    type: 'text/html; charset=utf-8',
    headers: {
      'content-security-policy': policyOf(page),
      ...(!Number.isNaN(changed) && { 'last-modified': new Date(changed).toUTCString() }),
    },
    text: markupOf(page),
  };
}

/** Returns a response that redirects to `location`. */
export function redirectAnswer(location: string, status: 301 | 302): PublicAnswer {
  return { status, type: 'text/plain; charset=utf-8', headers: { location }, text: '' };
}

const words = 'This is a demo. Nothing here is real.';

/**
 * The style of the bar that marks a page as part of a demo. The bar looks like the one in the owner's window. The
 * scroll padding keeps the bar from covering the element that has the focus.
 */
const style = `
html { scroll-padding-bottom: 3.5rem; }
body { padding-bottom: 4rem; }
.demo { position: fixed; inset: auto 0 0; z-index: 100; margin: 0; padding: .4rem 1rem; background: #5b3d0b; color: #fff; font-size: .875rem; text-align: center; }
`;
const styleHash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
const betweenHeadAndBody = '</head>\n<body>';

/** Makes the server send every page of a demo uncompressed, so that `sayItIsADemo` can insert its note. */
export const compressNoDemo: onRequestHookHandler = (request, _reply, done) => {
  delete request.headers['accept-encoding'];
  done();
};

/**
 * Adds a note (with its own style) to every page of a demo, and allows that style in the page's content security
 * policy. Leaves other responses unchanged.
 */
export const sayItIsADemo: onSendHookHandler = (_request, reply, payload, done) => {
  allowStyle(reply);
  const isText = typeof payload === 'string' || Buffer.isBuffer(payload);
  const isPage = isText && String(reply.getHeader('content-type')).startsWith('text/html');
  done(null, isPage ? withNote(payload.toString()) : payload);
};

/**
 * Allows the note's style in a response's content security policy. This also applies to a 304, because the browser uses
 * the headers of a 304 for its cached page.
 */
function allowStyle(reply: FastifyReply): void {
  const policy = reply.getHeader('content-security-policy');
  if (typeof policy === 'string')
    reply.header('content-security-policy', policy.replace('style-src ', `style-src ${styleHash} `));
}

function withNote(page: string): string {
  const note = `<style>${style}</style>\n${betweenHeadAndBody}\n<p class="demo" role="note">${words}</p>`;
  return page.replace(betweenHeadAndBody, note);
}
