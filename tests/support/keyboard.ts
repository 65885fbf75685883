import type { Page } from 'playwright';
import { expect } from 'vitest';

type Role = Parameters<Page['getByRole']>[0];

/** Someone who uses a page with nothing but its keyboard. */
export interface Keyboard {
  /** Presses Tab until an element has the focus; with `back`, Shift+Tab. Every stop on the way has to show itself. */
  tabTo(role: Role, name: string | RegExp, way?: { back?: boolean }): Promise<void>;
  /** Presses keys, one after the other. */
  press(...keys: string[]): Promise<void>;
  type(text: string): Promise<void>;
  /** Resolves once an element has the focus, without a key. */
  isAt(role: Role, name: string | RegExp): Promise<void>;
  /** Resolves once an element with these words in it has the focus. */
  isAtWords(words: RegExp): Promise<void>;
  /** Resolves once something other than the page as a whole has the focus, and keeps it. */
  isSomewhere(): Promise<void>;
}

/** More stops than any screen has. */
const mostStops = 90;

/** Takes the keyboard of a page. */
export function keyboardOf(page: Page): Keyboard {
  const hasFocus = (role: Role, name: string | RegExp) =>
    page
      .getByRole(role, { name, ...(typeof name === 'string' && { exact: true }) })
      .evaluateAll((elements) => elements.some((element) => element === document.activeElement));

  async function isSomewhere(): Promise<void> {
    const isAway = () => page.evaluate(() => document.activeElement === document.body);
    await expect.poll(isAway).toBe(false);
    // A focus that is about to get lost gets lost when the page is drawn again.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 50))));
    expect(await isAway()).toBe(false);
  }

  return {
    async tabTo(role, name, { back = false } = {}) {
      const stops: string[] = [];
      for (let count = 0; count < mostStops; count++) {
        await page.keyboard.press(back ? 'Shift+Tab' : 'Tab');
        const { stop } = await page.evaluate(stopNow);
        // The page may still be scrolling to it, or drawing it.
        await expect
          .poll(async () => (await page.evaluate(stopNow)).fault, { message: `at ${stop}` })
          .toBe('');
        stops.push(stop);
        if (await hasFocus(role, name)) return;
      }
      throw new Error(`Tab does not reach ${role} ${String(name)}. It stops at:\n${stops.join('\n')}`);
    },
    async press(...keys) {
      for (const key of keys) await page.keyboard.press(key);
    },
    type: (text) => page.keyboard.type(text),
    async isAt(role, name) {
      await expect
        .poll(() => hasFocus(role, name), { message: `focus at ${role} ${String(name)}` })
        .toBe(true);
    },
    async isAtWords(words) {
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toMatch(words);
    },
    isSomewhere,
  };
}

/** Runs in the page. Describes the element that has the focus, and why someone could not see that it does. */
function stopNow(): { stop: string; fault: string } {
  const element = document.activeElement;
  // After the last stop of the page, the browser's own controls would follow.
  if (element === null || element === document.body) return { stop: 'the end of the page', fault: '' };
  const stop = `${element.tagName} ${element.getAttribute('aria-label') ?? element.textContent.slice(0, 40)}`;
  // Tab does not stop there: the page itself has just moved the focus, to the heading of a screen, say.
  if (element instanceof HTMLElement && element.tabIndex < 0) return { stop, fault: '' };
  // Switches and segmented controls show the focus on an element beside their hidden input.
  const shown = [
    element,
    element.nextElementSibling,
    element.closest('label'),
    element.closest('.mantine-Input-input'),
  ];
  const isOutlined = shown.some((one) => {
    if (one === null) return false;
    const { outlineStyle, outlineWidth } = getComputedStyle(one);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1;
  });
  if (!isOutlined) return { stop, fault: 'the focus is not visible' };
  const { top, bottom, left, right } = element.getBoundingClientRect();
  const isInSight = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
  return { stop, fault: isInSight ? '' : 'the focus is out of sight' };
}
