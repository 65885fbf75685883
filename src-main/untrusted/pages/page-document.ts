import {
  defaultTreeAdapter,
  Parser,
  Tokenizer,
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes as Dom,
  type TreeAdapter,
} from 'parse5';

const mostElements = 20_000;
const deepestNesting = 256;
const mostAttributes = 256;
const sliceLength = 4096;

/** Thrown for a page that is too costly to parse. Such pages are probably attacks. */
export class TooMuch extends Error {}

/**
 * Parses a stranger's HTML. Returns null if the page is too costly to parse. A short page can grow into a huge tree,
 * because the parser repeats formatting elements in each paragraph. Without limits on depth and attributes, this can
 * take minutes.
 */
export function parseDocument(text: string): Dom.Document | null {
  try {
    const parser = new Parser<DefaultTreeAdapterMap>({ treeAdapter: boundedAdapter() });
    parser.tokenizer = new BoundedTokenizer(parser.options, parser);
    parser.tokenizer.write(text, true);
    return parser.document;
  } catch (error) {
    if (error instanceof TooMuch) return null;
    throw error;
  }
}

/** Returns parse5's default tree adapter with limits on elements, depth and attributes. */
function boundedAdapter(): TreeAdapter<DefaultTreeAdapterMap> {
  let elements = 0;
  let depth = 0;
  return {
    ...defaultTreeAdapter,
    createElement(...element) {
      if (++elements > mostElements) throw new TooMuch();
      return defaultTreeAdapter.createElement(...element);
    },
    // The parser adds the attributes of further <body> or <html> tags to the first one, so the limit applies to the
    // total.
    adoptAttributes(element, attributes) {
      defaultTreeAdapter.adoptAttributes(element, attributes);
      if (element.attrs.length > mostAttributes) throw new TooMuch();
    },
    onItemPush() {
      if (++depth > deepestNesting) throw new TooMuch();
    },
    onItemPop() {
      depth -= 1;
    },
  };
}

/**
 * Limits the number of attributes while a tag is being read, because parse5 compares each new attribute with all
 * earlier attributes of the tag. `write` throws TooMuch if a tag has too many attributes.
 */
export class BoundedTokenizer extends Tokenizer {
  override write(text: string, isLast: boolean): void {
    for (let start = 0; start <= text.length; start += sliceLength) {
      const end = start + sliceLength;
      super.write(text.slice(start, end), isLast && end > text.length);
      const token = this.currentToken;
      if (token && 'attrs' in token && token.attrs.length > mostAttributes) throw new TooMuch();
    }
  }
}

/** Returns the elements of a document in document order, except those inside templates. */
export function elementsOf(document: Dom.Document): Dom.Element[] {
  const found: Dom.Element[] = [];
  const waiting: Dom.Node[] = [document];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (defaultTreeAdapter.isElementNode(node)) found.push(node);
    if ('childNodes' in node) waiting.push(...node.childNodes.toReversed());
  }
  return found;
}

export function attributeOf(element: Dom.Element, name: string): string | undefined {
  return element.attrs.find((attribute) => attribute.name === name)?.value;
}
