/** The picture for each address: a data: URL. The window loads nothing from the web. */
export type Pictures = ReadonlyMap<string, string>;

/**
 * Returns a page's markup for the preview: it loads nothing, and nothing in it takes the focus. `pictureWords`: what
 * stands in for a picture without alt text.
 */
export function previewContent(html: string, pictures: Pictures, pictureWords: string): DocumentFragment {
  // A parsed document is inert: its pictures don't load.
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const element of body.querySelectorAll('script, style, link, iframe, object, embed, form, source'))
    element.remove();
  for (const player of body.querySelectorAll('video, audio, track'))
    for (const name of ['src', 'poster']) player.removeAttribute(name);
  for (const image of body.querySelectorAll('img')) {
    const picture = pictures.get(image.getAttribute('src') ?? '');
    image.removeAttribute('srcset');
    if (picture === undefined) image.replaceWith(standIn(body.ownerDocument, image.alt || pictureWords));
    else image.setAttribute('src', picture);
  }
  for (const control of body.querySelectorAll('a, summary, button, input'))
    control.setAttribute('tabindex', '-1');
  const content = document.createDocumentFragment();
  content.append(...[...body.childNodes].map((node) => document.adoptNode(node)));
  return content;
}

/** Returns the addresses of the pictures in a page's markup. */
export function picturesIn(html: string): string[] {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  return [...body.querySelectorAll('img')].flatMap((image) => image.getAttribute('src') ?? []);
}

/** Returns a page's style for a shadow root, where neither `html` nor `body` exists. */
export function previewStyle(css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  rescope(sheet.cssRules);
  // The preview shows the post alone, with the edge that its page would have.
  sheet.insertRule('.page { padding: 16px; }', sheet.cssRules.length);
  sheet.insertRule('.page > article { margin: 0; }', sheet.cssRules.length);
  return sheet;
}

function rescope(rules: CSSRuleList): void {
  for (const rule of rules) {
    if ('selectorText' in rule) {
      const styled = rule as CSSStyleRule;
      styled.selectorText = styled.selectorText
        .replace(/(^|[\s,>+~(])(?::root|html)(?![\w-])/g, '$1:host')
        .replace(/(^|[\s,>+~(])body(?![\w-])/g, '$1.page');
    }
    if ('cssRules' in rule) rescope((rule as CSSGroupingRule).cssRules);
  }
}

function standIn(owner: Document, words: string): HTMLElement {
  const element = owner.createElement('p');
  element.className = 'soft';
  element.textContent = words;
  return element;
}
