import { TokenizerMode, type Token } from 'parse5';
import { BoundedTokenizer, TooMuch } from './page-document.ts';

/**
 * Elements whose content is plain text, even if it looks like markup. The noscript element isn't one of them, because
 * browsers without scripts treat its content as markup.
 */
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

const inline = new Set(
  'a abbr b bdi cite code em font i kbd mark q s samp small span strong sub sup u var wbr'.split(' '),
);

/** The callbacks of `scanHtml`, called in document order. The content of templates is skipped. */
export interface HtmlReader {
  /** Called for each start tag. The scan ends when it returns false. */
  element?(name: string, attributes: Token.TagToken['attrs']): unknown;
  /** Called for each part of the visible text, and with a line break where a block starts or ends. */
  text?(characters: string): void;
  /** Called for each comment, document type and NUL character. */
  other?(): void;
}

/** The result of a scan. */
export interface HtmlScan {
  /** The href of the first base element with an href, exactly as written in the page. */
  readonly base: string | undefined;
  /** False if the scan ended early: at a tag with hundreds of attributes, or when the reader had enough. */
  readonly isWhole: boolean;
}

/**
 * Reads HTML token by token. It builds no tree, so deep nesting and malformed markup do no harm, and the time is
 * proportional to the length of the HTML.
 */
export function scanHtml(html: string, reader: HtmlReader): HtmlScan {
  let base: string | undefined;
  let templates = 0;
  let foreign = 0;
  let isHidden = false;

  const addText = (characters: string): void => {
    if (!isHidden && templates + foreign === 0) reader.text?.(characters);
  };
  const other = (): void => reader.other?.();
  const tokenizer = new BoundedTokenizer(
    {},
    {
      onStartTag({ tagName, selfClosing, attrs }) {
        if (tagName === 'svg' || tagName === 'math') foreign += selfClosing ? 0 : 1;
        const mode = Object.hasOwn(textModes, tagName) && foreign === 0 ? textModes[tagName] : undefined;
        if (mode !== undefined) tokenizer.state = mode;
        isHidden = mode !== undefined;
        if (tagName === 'template') templates += 1;
        if (templates > (tagName === 'template' ? 1 : 0)) return;
        if (tagName === 'base') base ??= attributeIn(attrs, 'href');
        if (reader.element?.(tagName, attrs) === false) throw new TooMuch();
        if (!inline.has(tagName)) addText('\n');
      },
      onEndTag({ tagName }) {
        isHidden = false;
        if (tagName === 'template') templates = Math.max(0, templates - 1);
        if (tagName === 'svg' || tagName === 'math') foreign = Math.max(0, foreign - 1);
        if (!inline.has(tagName)) addText('\n');
      },
      onCharacter: ({ chars }) => addText(chars),
      onWhitespaceCharacter: ({ chars }) => addText(chars),
      onNullCharacter: other,
      onComment: other,
      onDoctype: other,
      onEof: () => undefined,
    },
  );
  try {
    tokenizer.write(html, true);
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    return { base, isWhole: false };
  }
  return { base, isWhole: true };
}

/** Returns the value of a tag's attribute. */
export function attributeIn(attributes: Token.TagToken['attrs'], name: string): string | undefined {
  return attributes.find((each) => each.name === name)?.value;
}

/** Returns the visible text of HTML, with a line break where a block starts or ends. */
export function visibleText(html: string): string {
  const parts: string[] = [];
  scanHtml(html, { text: (characters) => void parts.push(characters) });
  return parts.join('');
}
