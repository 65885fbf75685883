import { defaultTreeAdapter as tree, parse, type DefaultTreeAdapterTypes as Dom } from 'parse5';

/** The text of an HTML page's first title element; undefined where it has none. */
export function pageTitle(page: string): string | undefined {
  const html = tree.getChildNodes(parse(page)).find((node) => node.nodeName === 'html');
  const head = children(html).find((node) => node.nodeName === 'head');
  const title = children(head).find((node) => node.nodeName === 'title');
  return (
    title &&
    children(title)
      .map((node) => (tree.isTextNode(node) ? node.value : ''))
      .join('')
  );
}

function children(node: Dom.ChildNode | undefined): Dom.ChildNode[] {
  return node && tree.isElementNode(node) ? node.childNodes : [];
}
