import { attributeIn, scanHtml } from '../../untrusted/pages/html-scan.ts';
import { resolvedBase } from '../../untrusted/pages/page-mending.ts';
import { attributeWords } from '../../untrusted/pages/fetched-page.ts';

/**
 * Returns the endpoint that a page declares: its first `link` or `a` with rel=webmention and an href, in document order
 * (Webmention 3.1.2). `url`: the page's own URL, after redirects.
 */
export function endpointInHtml(html: string, url: string): string | undefined {
  let found: string | undefined;
  const { base } = scanHtml(html, {
    element(name, attributes) {
      if (found !== undefined || (name !== 'link' && name !== 'a')) return;
      const relations = attributeWords((attributeIn(attributes, 'rel') ?? '').toLowerCase());
      if (relations.includes('webmention')) found = attributeIn(attributes, 'href');
    },
  });
  const from = resolvedBase(base, url);
  return found !== undefined && URL.canParse(found, from) ? new URL(found, from).href : undefined;
}
