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

/** What a BoundedTokenizer throws: the page is made to hurt. */
export class TooMuch extends Error {}

/**
 * Parses a stranger's HTML. Null where it is made to hurt: the rules of HTML let a small text grow to a huge tree
 * (formatting elements come back in each paragraph), and depth or attributes without end take minutes.
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

/** parse5's own adapter, which counts. */
function boundedAdapter(): TreeAdapter<DefaultTreeAdapterMap> {
  let elements = 0;
  let depth = 0;
  return {
    ...defaultTreeAdapter,
    createElement(...element) {
      if (++elements > mostElements) throw new TooMuch();
      return defaultTreeAdapter.createElement(...element);
    },
    // Each further <body> or <html> gives its attributes to the first one.
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
 * parse5 looks through all attributes of a tag for each new one: so they are counted while the tag still grows.
 * `write` throws TooMuch where a tag has too many.
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

/** The elements of a document in its own order, without those in templates. */
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
