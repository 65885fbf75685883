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

  interface Box {
    /** Text in it can be scrolled to, or only screen readers have it. */
    readonly fits: boolean;
    /** Text that is too long for it ends in an ellipsis. It may still be cut off itself. */
    readonly shortens: boolean;
    /** Whether it cuts off text, sideways and down. */
    readonly cuts: readonly [boolean, boolean];
    readonly isFixed: boolean;
    readonly rect: DOMRect;
  }
  /** Each read of a style makes sure that the layout is up to date, and boxes share their parents. */
  const boxes = new Map<Element, Box>();
  function boxOf(element: Element): Box {
    const known = boxes.get(element);
    if (known) return known;
    const { overflowX, overflowY, textOverflow, webkitLineClamp, position } = getComputedStyle(element);
    const rect = element.getBoundingClientRect();
    const box = {
      fits:
        ['auto', 'scroll'].includes(overflowX) ||
        // For screen readers only.
        (rect.width <= 1 && rect.height <= 1),
      shortens: textOverflow === 'ellipsis' || webkitLineClamp !== 'none',
      cuts: [overflowX !== 'visible', overflowY !== 'visible'],
      isFixed: position === 'fixed',
      rect,
    } as const;
    boxes.set(element, box);
    return box;
  }

  /** The side of a text's box that nobody can see; undefined if all of it can be seen, or leads to an ellipsis. */
  function cutSide(text: DOMRect, element: Element): string | undefined {
    let rect = text;
    for (let parent: Element | null = element; parent !== null; parent = parent.parentElement) {
      const box = boxOf(parent);
      if (box.fits) return undefined;
      if (box.shortens) rect = box.rect;
      const { left, right, top, bottom } = box.rect;
      const [sideways, down] = box.cuts;
      if (sideways && (rect.left < left - 1 || rect.right > right + 1)) return 'sideways';
      // Line boxes are taller than the letters in them.
      const slack = rect.height / 3;
      if (down && (rect.top < top - slack || rect.bottom > bottom + slack)) return 'down';
      if (box.isFixed) break;
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
