import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { createRecent } from '../storage/recent.ts';
import { html, type Html } from './html.ts';
import { pageStyle } from './page-style.ts';

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
  /** The sources of images, audio and video, in addition to data: URLs, in the syntax of a content security policy. */
  readonly mediaFrom?: string;
}

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
