import fc from 'fast-check';
import type { Post, Properties } from '../../src-main/contract/posts.ts';
import { readPage } from '../../src-main/untrusted/pages/web-page.ts';
import { markdownHtml } from '../../src-main/posts/markdown.ts';
import { siteAuthor } from '../../src-main/posts/rendering/author.ts';
import { shownContent } from '../../src-main/posts/rendering/contents.ts';
import { richMarkup } from '../../src-main/posts/rendering/rich-text.ts';
import { ann } from './site.ts';

const porch = 'https://porch.example';

/** What templates, Markdown, front matter and file systems give a meaning to. */
const hostile = [
  '{{ site }}',
  '{% raw %}',
  '{{< x >}}',
  '{{% x %}}',
  '{# x #}',
  '{{=<% %>=}}',
  '---',
  '+++',
  '...',
  '\n---\ntitle: x\n---\n',
  '"',
  "'",
  ': ',
  '# ',
  '* ',
  '- ',
  '1. ',
  '> ',
  '`',
  '```',
  '~~',
  '**',
  '_',
  '[a](b)',
  '![a](b)',
  '<b>x</b>',
  '<script>alert(1)</script>',
  '&amp;',
  '&',
  '<!-- x -->',
  '$$x$$',
  '{: .x}',
  '[^1]',
  '[^1]: x',
  '*[x]: y',
  '\\',
  '|a|b|\n|-|-|',
  '\n\n',
  '\n',
  '    code',
  '\t',
  '...',
  '--',
  'https://bo.example/',
  'www.bo.example',
  'ann@example.org',
  ':smile:',
  '~',
  '^',
  '==',
  '(c)',
  '%}',
  '}}',
  '\u202E',
  '\u200B',
  'é',
  '日本語',
  '😀',
  'con',
  '..',
  '/',
  '\u0000',
  '\uD800',
  'constructor',
  '#tag',
  '@bo',
];
/** A text full of it. */
export const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...hostile), fc.lorem({ maxCount: 3 }), fc.string({ maxLength: 8 })), {
    minLength: 1,
    maxLength: 12,
  })
  .map((parts) => parts.join(' '));

/** What is posted. */
export interface HostilePost {
  readonly properties: Properties;
  readonly markdown?: string;
}

export const hostilePost: fc.Arbitrary<HostilePost> = fc.oneof(
  { weight: 4, arbitrary: hostileText.map((content) => ({ properties: { content: [content] } })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(hostileText, hostileText, hostileText, hostileText)
      .map(([name, content, tag, summary]) => ({
        properties: { name: [name], content: [content], category: [tag], summary: [summary] },
      })),
  },
  {
    weight: 2,
    arbitrary: hostileText.map((markdown) => ({
      properties: { content: [{ html: markdownHtml(markdown) }] },
      markdown,
    })),
  },
  {
    weight: 1,
    arbitrary: hostileText.map((content) => ({
      properties: { 'in-reply-to': ['https://bo.example/x'], content: [content] },
    })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(hostileText, hostileText, hostileText, hostileText)
      .map(([content, alt, place, other]) => ({
        properties: {
          content: [content],
          photo: [
            { value: `https://bo.example/${encodeURI(other.replace(/\p{Surrogate}/gu, ''))}.jpg`, alt },
          ],
          location: [{ type: ['h-adr'], properties: { locality: [place], 'country-name': [other] } }],
          checkin: [{ type: ['h-card'], properties: { name: [place] } }],
          rsvp: [other],
          start: [place],
          end: [other],
          syndication: [`https://bo.example/?${other}`],
        },
      })),
  },
);

/** How this server shows the posts. */
export const hostileView = {
  base: porch,
  author: siteAuthor(ann, porch),
  contentOf: (post: Post) => shownContent(post, porch),
  shown: () => undefined,
};

/** Returns the text of the content of a page's first entry. */
export function contentIn(text: string, url: string): string {
  const [entry] = readPage({ url, linkHeader: null, text }).items;
  const content = entry?.properties['content']?.[0] as { value?: string } | undefined;
  return words(content?.value ?? '');
}

/** A file can't hold control characters or half characters, and white space means nothing in HTML. */
const words = (shown: string) =>
  shown
    .replace(/[\p{Surrogate}\uFFFD]|(?![\t\n\r])\p{Cc}/gu, '')
    .replace(/\s+/g, ' ')
    .trim();

/** Returns the text that a page of a post must show. */
export function expectedContent(post: Post, url: string): string {
  const { rich } = shownContent(post, porch);
  const own = rich ? richMarkup(rich, hostileView).markup : '';
  return contentIn(`<div class="h-entry"><div class="e-content">${own}</div></div>`, url);
}
