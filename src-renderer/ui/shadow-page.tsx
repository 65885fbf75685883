import { useEffect, useRef, type ReactElement } from 'react';

interface Props {
  /** The content of a page's body, which the service has sanitized. */
  readonly html: string;
  /** The page's style. */
  readonly css: string;
}

/** What a page needs in addition inside a part of the window. */
const fitting = `
:host { display: block; min-height: 100%; background: var(--ground); zoom: .7; }
img[data-elsewhere] { background: var(--line); }
`;

/** Returns an empty picture with the size of another. */
function emptyPicture(picture: Element): string {
  const edge = (name: string, otherwise: number) => Number(picture.getAttribute(name)) || otherwise;
  const size = `width="${edge('width', 640)}" height="${edge('height', 480)}"`;
  return `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" ${size}/>`)}`;
}

/**
 * Shows a page of the site in a shadow root, so that the styles of page and window don't mix. The page is only looked
 * at: its links can't be followed. Pictures on other servers become grey areas, because the window loads nothing.
 */
export function ShadowPage({ html, css }: Props): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css.replaceAll(':root', ':host') + fitting);
    root.adoptedStyleSheets = [sheet];
    root.replaceChildren(bodyOf(html));
  }, [html, css]);
  return <div ref={host} inert />;
}

/** Returns the body of a page that loads nothing. A parsed document loads nothing either. */
function bodyOf(html: string): HTMLElement {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const picture of body.querySelectorAll("img:not([src^='data:'])")) {
    picture.setAttribute('data-elsewhere', '');
    picture.setAttribute('src', emptyPicture(picture));
  }
  for (const media of body.querySelectorAll('video, audio, source')) media.removeAttribute('src');
  return body;
}
