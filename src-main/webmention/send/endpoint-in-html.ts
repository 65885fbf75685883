import { TokenizerMode, type Token } from 'parse5';
import { BoundedTokenizer, TooMuch } from '../../http/strangers/page-document.ts';
import { resolvedBase } from '../../http/strangers/page-mending.ts';

/** Elements whose content is plain text, even if it looks like markup. */
const textModes: Readonly<Record<string, BoundedTokenizer['state']>> = {
  title: TokenizerMode.RCDATA,
  textarea: TokenizerMode.RCDATA,
  style: TokenizerMode.RAWTEXT,
  xmp: TokenizerMode.RAWTEXT,
  iframe: TokenizerMode.RAWTEXT,
  noembed: TokenizerMode.RAWTEXT,
  noframes: TokenizerMode.RAWTEXT,
  script: TokenizerMode.SCRIPT_DATA,
  plaintext: TokenizerMode.PLAINTEXT,
};

/**
 * Returns the endpoint that a page names: its first `link` or `a` with rel=webmention and an href, in document order
 * (Webmention 3.1.2). Reads token by token, so the time is proportional to the length, even for malicious markup.
 * `url`: the page's own URL, after redirects.
 */
export function endpointInHtml(html: string, url: string): string | undefined {
  let base: string | undefined;
  let found: string | undefined;
  let templates = 0;
  let foreign = 0;

  const onStartTag = (token: Token.TagToken): void => {
    const { tagName, selfClosing, attrs } = token;
    if (tagName === 'svg' || tagName === 'math') foreign += selfClosing ? 0 : 1;
    const mode = Object.hasOwn(textModes, tagName) && foreign === 0 ? textModes[tagName] : undefined;
    if (mode !== undefined) tokenizer.state = mode;
    if (tagName === 'template') templates += 1;
    if (templates > 0) return;
    const attribute = (name: string) => attrs.find((each) => each.name === name)?.value;
    if (tagName === 'base') base ??= attribute('href');
    if ((tagName === 'link' || tagName === 'a') && namesEndpoint(attribute('rel'))) {
      found ??= attribute('href');
    }
  };
  const onEndTag = ({ tagName }: Token.TagToken): void => {
    if (tagName === 'template') templates = Math.max(0, templates - 1);
    if (tagName === 'svg' || tagName === 'math') foreign = Math.max(0, foreign - 1);
  };
  const nothing = (): void => undefined;
  const tokenizer = new BoundedTokenizer(
    {},
    {
      onStartTag,
      onEndTag,
      onCharacter: nothing,
      onWhitespaceCharacter: nothing,
      onNullCharacter: nothing,
      onComment: nothing,
      onDoctype: nothing,
      onEof: nothing,
    },
  );
  try {
    tokenizer.write(html, true);
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error; // what was read before still counts
  }
  if (found === undefined) return undefined;
  const from = resolvedBase(base, url);
  return URL.canParse(found, from) ? new URL(found, from).href : undefined;
}

function namesEndpoint(rel: string | undefined): boolean {
  return (
    rel !== undefined &&
    rel
      .toLowerCase()
      .split(/[\t\n\f\r ]+/)
      .includes('webmention')
  );
}
