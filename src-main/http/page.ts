import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { html, type Html } from './html.ts';
import { pageStyle } from './page-style.ts';

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** Link and meta elements for the head. */
  readonly head?: Html;
  /** A script that enhances the page; the page works without it. A constant of this program, allowed by its hash. */
  readonly script?: string;
  /** A constant of this program, allowed by its hash. Defaults to the consent page's style. */
  readonly style?: string;
  /** Allowed sources of images, audio and video besides data: URLs, as content security policy sources. */
  readonly mediaFrom?: string;
}

const hashes = new Map<string, string>();

/** Returns the hash source of a style or script. Hashes are cached: there are only a few constants. */
function hashSource(text: string): string {
  const known = hashes.get(text);
  if (known !== undefined) return known;
  const source = `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  hashes.set(text, source);
  return source;
}

/**
 * Sends an HTML page that loads nothing from other servers. Its style and script are inline and allowed by their
 * hashes; images are data: URLs unless `mediaFrom` allows more. There is no form-action, because Chromium would apply
 * it to the redirect back to the app.
 */
export async function sendPage(reply: FastifyReply, status: number, page: Page): Promise<void> {
  await reply
    .code(status)
    .header('content-security-policy', policyOf(page))
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(markupOf(page));
}

/** Returns the content security policy that allows only what `page` needs. */
export function policyOf({ style = pageStyle, script, mediaFrom }: Page): string {
  const media = mediaFrom === undefined ? '' : ` media-src ${mediaFrom};`;
  const images = mediaFrom === undefined ? 'data:' : `data: ${mediaFrom}`;
  const scripts = script === undefined ? "'none'" : hashSource(script);
  return `default-src 'none'; style-src ${hashSource(style)}; script-src ${scripts}; connect-src 'self'; img-src ${images};${media} base-uri 'none'; frame-ancestors 'none'`;
}

/**
 * Returns the whole document. Style and script must be inserted verbatim, because the policy has their exact hashes.
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
