import MarkdownIt from 'markdown-it';

/** CommonMark with bare URLs as links. HTML in the text stays text, so Markdown cannot bring in scripts. */
const markdown = new MarkdownIt({ html: false, linkify: true });
// Without a scheme, `file.md` and `example.com` in a sentence would become links, too.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

/** Returns the HTML of a Markdown text (CommonMark). Pages still sanitize it, like all HTML of posts. */
export function markdownHtml(text: string): string {
  return markdown.render(text).trim();
}
