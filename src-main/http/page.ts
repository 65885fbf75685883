import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { html, type Html } from './html.ts';
import { pageStyle } from './page-style.ts';

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** For the head: link and meta elements. */
  readonly head?: Html;
  /** A script that makes the page nicer; the page works without it. A constant of ours, allowed by its hash. */
  readonly script?: string;
  /** A constant of ours, allowed by its hash; where absent, the style of the consent page. */
  readonly style?: string;
  /** Where pictures and recordings may come from besides data: URLs, as sources of a content security policy. */
  readonly mediaFrom?: string;
}

const hashes = new Map<string, string>();

/** Styles and scripts are few constants: each is hashed once. */
function hashSource(text: string): string {
  const known = hashes.get(text);
  if (known !== undefined) return known;
  const source = `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  hashes.set(text, source);
  return source;
}

/**
 * Sends an HTML page that needs nothing from anybody else: style and script are in it, allowed by their hashes;
 * pictures are data: URLs. No form-action: Chromium would apply it to the way back to the app.
 */
export async function sendPage(reply: FastifyReply, status: number, page: Page): Promise<void> {
  await reply
    .code(status)
    .header('content-security-policy', policyOf(page))
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(markupOf(page));
}

/** The content security policy under which `page` works, and nothing else. */
export function policyOf({ style = pageStyle, script, mediaFrom }: Page): string {
  const media = mediaFrom === undefined ? '' : ` media-src ${mediaFrom};`;
  const images = mediaFrom === undefined ? 'data:' : `data: ${mediaFrom}`;
  const scripts = script === undefined ? "'none'" : hashSource(script);
  return `default-src 'none'; style-src ${hashSource(style)}; script-src ${scripts}; connect-src 'self'; img-src ${images};${media} base-uri 'none'; frame-ancestors 'none'`;
}

/** The whole document. Style and script stand in their elements to the letter: their hashes are of just that. */
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
