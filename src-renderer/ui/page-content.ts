/** The picture for each address: a data: URL. The window loads nothing from the web. */
export type Pictures = ReadonlyMap<string, string>;

/** Returns the addresses of the pictures in a page's markup, except for those that are in the markup themselves. */
export function picturesIn(html: string): string[] {
  const addresses = [...bodyIn(html).querySelectorAll('img')].map((image) => image.getAttribute('src') ?? '');
  return addresses.filter((address) => address !== '' && !address.startsWith('data:'));
}

/** Finds the pictures in a page's markup. `known`: what was found before, which grows. `find`: resolves with a data: URL. */
export async function foundPictures(
  html: string,
  known: Map<string, string | null>,
  find: (address: string) => Promise<string | null>,
): Promise<Pictures> {
  const pictures = new Map<string, string>();
  for (const address of picturesIn(html)) {
    const picture = known.get(address) ?? (await find(address));
    known.set(address, picture);
    if (picture !== null) pictures.set(address, picture);
  }
  return pictures;
}

/**
 * Returns the body of a page to show: without anything that loads. A picture that `pictures` doesn't have becomes
 * a grey area of its size. `linked`: whether links and what opens keep the focus; otherwise, nothing takes it.
 */
export function pageContent(html: string, pictures: Pictures, linked = false): HTMLElement {
  const body = bodyIn(html);
  const controls = linked ? 'button, input' : 'a, summary, button, input';
  for (const control of body.querySelectorAll(controls)) control.setAttribute('tabindex', '-1');
  for (const element of body.querySelectorAll('script, style, link, iframe, object, embed, form, source'))
    element.remove();
  for (const player of body.querySelectorAll('video, audio, track'))
    for (const name of ['src', 'poster']) player.removeAttribute(name);
  for (const image of body.querySelectorAll('img')) {
    const source = image.getAttribute('src') ?? '';
    const picture = source.startsWith('data:') ? source : pictures.get(source);
    image.removeAttribute('srcset');
    image.setAttribute('src', picture ?? emptyPicture(image));
    if (picture === undefined) image.setAttribute('data-missing', '');
  }
  return document.adoptNode(body);
}

/** Returns a page's style for a shadow root, where there is no `html`. `fitting`: rules that follow. */
export function pageStyle(css: string, fitting: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  const scoped = css.replace(/(^|[\s,>+~(){}])(?::root|html)(?![\w-])/g, '$1:host');
  sheet.replaceSync(`${scoped}\nimg[data-missing] { background: var(--line); }\n${fitting}`);
  return sheet;
}

/** A parsed document is inert: its pictures don't load. */
const bodyIn = (html: string) => new DOMParser().parseFromString(html, 'text/html').body;

/** Returns an empty picture with the size of another. */
function emptyPicture(picture: Element): string {
  const edge = (name: string, otherwise: number) => Number(picture.getAttribute(name)) || otherwise;
  const size = `width="${edge('width', 640)}" height="${edge('height', 480)}"`;
  return `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" ${size}/>`)}`;
}
