import { useEffect, useEffectEvent, type RefObject } from 'react';
import type { TextRef } from './text-editing.ts';

/** The parts of a page among which the one with the cursor is searched. */
const blocks = '.e-content :is(p, li, h1, h2, h3, h4, h5, h6, pre, blockquote, td, figcaption), .p-name';
/** The most letters and digits by which a part is found, and the most characters of a line among which they are. */
const mostLetters = 40;
const mostOfLine = 400;
/** Milliseconds without a move of the cursor before the preview follows. */
const pauseMs = 100;

const lettersIn = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();

/**
 * Returns the part of a page that shows the line with the cursor: among the parts with its words, the one nearest to where
 * the cursor is in the text. Returns undefined if no part has them.
 */
export function partWithCursor(page: ParentNode, text: string, at: number): Element | undefined {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const line = text.slice(start, start + mostOfLine).split('\n', 1)[0] ?? '';
  // The page shows neither where a link leads nor the mark of a list.
  const words = lettersIn(line.replace(/\]\([^)]*\)/g, '').replace(/^\s*\d{1,9}[.)]\s/, '')).slice(
    0,
    mostLetters,
  );
  if (words === '') return undefined;
  const all = [...page.querySelectorAll(blocks)];
  const place = (at / Math.max(text.length, 1)) * all.length;
  return all
    .map((element, index) => ({ element, away: Math.abs(index - place) }))
    .filter(({ element }) => lettersIn(element.textContent).includes(words))
    .toSorted((a, b) => a.away - b.away)[0]?.element;
}

/**
 * Scrolls the preview to what is written: to the part of the page with the cursor. `page`: changes with each new preview.
 * `isScrolled`: whether the preview scrolls by itself, beside the text.
 */
export function useFollowing(
  preview: RefObject<HTMLElement | null>,
  field: TextRef,
  page: unknown,
  isScrolled: boolean,
): void {
  const follow = useEffectEvent(() => {
    const area = field.current;
    const box = preview.current;
    const shown = [...(box?.children ?? [])].find(({ shadowRoot }) => shadowRoot !== null)?.shadowRoot;
    if (!area || !box || !shown) return;
    const part = partWithCursor(shown, area.value, area.selectionStart);
    if (!part) return;
    const { top, height } = part.getBoundingClientRect();
    if (!isScrolled) {
      part.scrollIntoView({ block: 'center' });
      return;
    }
    // Only the preview moves, not the page with the text.
    const away = top - box.getBoundingClientRect().top;
    const isInSight = away >= 0 && away + height <= box.clientHeight;
    if (!isInSight) box.scrollTo({ top: box.scrollTop + away - box.clientHeight / 3 });
  });
  useEffect(() => {
    if (!isScrolled) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hear = () => {
      clearTimeout(timer);
      if (document.activeElement === field.current) timer = setTimeout(() => follow(), pauseMs);
    };
    document.addEventListener('selectionchange', hear);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('selectionchange', hear);
    };
  }, [field, isScrolled]);
  // In place of the text, the preview opens where the cursor is and then stays.
  useEffect(() => {
    if (page !== null) follow();
  }, [page]);
}
