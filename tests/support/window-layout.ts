import type { Page } from 'playwright';

/** Returns what does not fit: a page that scrolls sideways, and text that is cut off. Names each by its first words. */
export async function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(faultsOfLayout);
}

/** Runs in the page. Text that ends in an ellipsis or can be scrolled to is not cut off. */
function faultsOfLayout(): string[] {
  const width = document.documentElement.clientWidth;
  const faults = new Set<string>();
  const scrolled = document.scrollingElement?.scrollWidth ?? 0;
  if (scrolled > width) faults.add(`the page is ${scrolled} px wide in ${width} px`);

  /** The side of `rect` that nobody can see; undefined if all of it can be seen. */
  function cutSide(rect: DOMRect, element: Element): string | undefined {
    for (let box: Element | null = element; box !== null; box = box.parentElement) {
      const { overflowX, overflowY, textOverflow, webkitLineClamp, position } = getComputedStyle(box);
      if (overflowX === 'auto' || overflowX === 'scroll') return undefined;
      if (textOverflow === 'ellipsis' || webkitLineClamp !== 'none') return undefined;
      const { left, right, top, bottom } = box.getBoundingClientRect();
      // For screen readers only.
      if (right - left <= 1 && bottom - top <= 1) return undefined;
      if (overflowX !== 'visible' && (rect.left < left - 1 || rect.right > right + 1)) return 'sideways';
      // Line boxes are taller than the letters in them.
      const slack = rect.height / 3;
      if (overflowY !== 'visible' && (rect.top < top - slack || rect.bottom > bottom + slack)) return 'down';
      if (position === 'fixed') break;
    }
    return rect.left < -1 || rect.right > width + 1 ? 'by the window' : undefined;
  }

  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const element = text.parentElement;
    const words = text.textContent?.trim() ?? '';
    if (words === '' || !element?.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      continue;
    range.selectNodeContents(text);
    for (const rect of range.getClientRects()) {
      const side = rect.width > 1 ? cutSide(rect, element) : undefined;
      if (side !== undefined) faults.add(`cut off ${side}: ${words.slice(0, 60)}`);
    }
  }
  return [...faults];
}
