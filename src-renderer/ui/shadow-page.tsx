import { useEffect, useRef, type MouseEvent, type ReactElement } from 'react';
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
}

const none: Pictures = new Map();

/**
 * Shows a page of the site in a shadow root, so that the styles of page and window don't mix. The page is only looked
 * at: the window never leaves its own page, and loads nothing from elsewhere.
 */
export function ShadowPage({ html, css, fitting, pictures = none, inert = false }: Props): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [pageStyle(css, fitting)];
    root.replaceChildren(pageContent(html, pictures));
  }, [html, css, fitting, pictures]);
  const stay = (event: MouseEvent) => event.preventDefault();
  return <div ref={host} inert={inert} onClickCapture={stay} onAuxClickCapture={stay} />;
}
