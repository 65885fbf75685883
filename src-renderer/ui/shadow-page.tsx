import { useEffect, useRef, type ReactElement } from 'react';
import { pageContent, pageStyle, type Pictures } from './page-content.ts';

interface Props {
  /** The content of a page's body, which the service has sanitized. */
  readonly html: string;
  /** The page's style. */
  readonly css: string;
  /** What the page needs in addition inside a part of the window. */
  readonly fitting: string;
  readonly pictures?: Pictures;
  /** Whether the page is a picture of itself only, which screen readers skip. */
  readonly inert?: boolean;
  /** Whether the page's links open in the browser. */
  readonly linked?: boolean;
}

const none: Pictures = new Map();

/**
 * Shows a page of the site in a shadow root, so that the styles of page and window don't mix. The window never leaves its
 * own page, and loads nothing from elsewhere.
 */
export function ShadowPage({
  html,
  css,
  fitting,
  pictures = none,
  inert = false,
  linked = false,
}: Props): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [pageStyle(css, fitting)];
    root.replaceChildren(pageContent(html, pictures, linked));
  }, [html, css, fitting, pictures, linked]);
  useEffect(() => {
    const root = host.current?.shadowRoot;
    const stay = (event: Event) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      // What isn't a link may open here, such as a long quotation.
      if (linked && link === null) return;
      event.preventDefault();
      // The desktop app opens new windows in the browser.
      if (linked && link !== null && /^https?:$/.test(link.protocol))
        window.open(link.href, '_blank', 'noopener,noreferrer');
    };
    for (const name of ['click', 'auxclick']) root?.addEventListener(name, stay);
    return () => {
      for (const name of ['click', 'auxclick']) root?.removeEventListener(name, stay);
    };
  }, [linked]);
  return <div ref={host} inert={inert} />;
}
