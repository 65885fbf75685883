import { join } from 'node:path';
import type { Page } from 'playwright';
import { comeToRest } from '../../support/window-view.ts';

export const folder = join(import.meta.dirname, '../../../screenshots');
export const colorSchemes = ['light', 'dark'] as const;
const windowWidths = [800, 1440];
/** In px: a page is taken as tall as it is, within these. One with a dialog stays low: the dialog is what matters. */
const [lowest, highest] = [900, 2400];

/** Takes a page in light and dark at each width in px: screenshots/NAME-SCHEME-WIDTH.png. */
export async function takePictures(page: Page, name: string, widths = windowWidths): Promise<void> {
  const open = await page.evaluate(openDetails);
  for (const colorScheme of colorSchemes) {
    await page.emulateMedia({ colorScheme });
    for (const width of widths) {
      let height = lowest;
      // Margins may grow with the window, so the page is measured again.
      for (let rounds = 0; rounds < 3; rounds += 1) {
        await page.setViewportSize({ width, height });
        const whole = await page.evaluate(() =>
          document.querySelector('[role="dialog"]') ? 0 : document.documentElement.scrollHeight,
        );
        height = Math.max(height, Math.min(whole, highest));
      }
      await page.setViewportSize({ width, height });
      await page.evaluate(reopenDetails, open);
      await takeNow(page, `${name}-${colorScheme}-${width}`);
    }
  }
  console.log(name);
}

/** Runs in the page. Returns the titles of what can be folded and is open. */
function openDetails(): string[] {
  const titles = document.querySelectorAll('details[open] > summary');
  return [...titles].map(({ textContent }) => textContent);
}

/** Runs in the page. A panel that moves to another place when the width changes is folded again. */
function reopenDetails(titles: readonly string[]): void {
  for (const details of document.querySelectorAll<HTMLDetailsElement>('details'))
    if (titles.includes(details.querySelector('summary')?.textContent ?? '')) details.open = true;
}

/** Takes a page as it is now, once its parts and pictures are there and nothing moves. */
export async function takeNow(page: Page, name: string): Promise<void> {
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
  await page.evaluate(picturesInSight);
  // Buttons that just appeared or moved look faded for a second, and those behind a dialog as long as it is open. The
  // first photo of a post never moves up, and the last one never moves down.
  await page.waitForFunction(() => {
    const front = document.querySelector('[role="dialog"]') ?? document;
    return front.querySelector('button[aria-disabled]:not([aria-label^="Move "])') === null;
  });
  await comeToRest(page);
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
}

/** Resolves once the pictures on the screen are there: they are loaded when they are needed. */
export async function picturesInSight(): Promise<void> {
  const inSight = [...document.images].filter((one) => {
    const { top, bottom } = one.getBoundingClientRect();
    return top < innerHeight && bottom > 0;
  });
  await Promise.all(inSight.map((one) => one.decode()));
}
