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
}

const hashSource = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const styleSource = hashSource(pageStyle);

/**
 * Sends an HTML page that needs nothing from anybody else: style and script are in it, allowed by their hashes;
 * pictures are data: URLs. No form-action: Chromium would apply it to the way back to the app.
 */
export async function sendPage(reply: FastifyReply, status: number, page: Page): Promise<void> {
  const script = page.script === undefined ? "'none'" : hashSource(page.script);
  await reply
    .code(status)
    .header(
      'content-security-policy',
      `default-src 'none'; style-src ${styleSource}; script-src ${script}; connect-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'`,
    )
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(markup(page));
}

/** Style and script stand in their elements to the letter: their hashes are of just that. */
function markup({ title, body, head, script }: Page): string {
  const style: Html = { markup: `<style>${pageStyle}</style>` };
  const scriptElement: Html | null = script === undefined ? null : { markup: `<script>${script}</script>` };
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${head}
${style}
</head>
<body>
${body}
${scriptElement}
</body>
</html>
`;
  return page.markup;
}
