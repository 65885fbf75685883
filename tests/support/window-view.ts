import type { Locator, Page } from 'playwright';
import { actAsDesktop } from './window-bridge.ts';
import type { House } from './window-fixtures.ts';

/** One thing to look at: a house, where to go in it, and what to do there. */
export interface View {
  readonly name: string;
  readonly house: (now: number) => House;
  readonly hash: string;
  /** True for the window of the desktop app, false for a page in a browser. */
  readonly desktop?: boolean;
  /** True for a page in a browser that was opened without the key. */
  readonly locked?: boolean;
  /** True if the view shows a fault, which the browser reports on its console too. */
  readonly faulty?: boolean;
  /** Brings the view about once the screen is there. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

/** Chooses an entry of the first "…" menu in a part of the page. */
export async function chooseMore(part: Locator, name: string): Promise<void> {
  await part.getByRole('button', { name: 'More actions', exact: true }).first().click();
  await part.page().getByRole('menuitem', { name, exact: true }).click();
}

/** The opened mention, beside the list or over it. */
export const openedMention = (page: Page): Locator =>
  page.locator(':is(aside, [role="dialog"])').filter({ hasText: 'Webmention' });

/** Chooses how the web reaches Porchlight, among the ways that the form doesn't show. They may be folded. */
export async function chooseWay(page: Page, way: RegExp): Promise<void> {
  await page.getByText('Other ways').waitFor();
  if (!(await button(page, way).isVisible())) await page.getByText('Other ways').click();
  await button(page, way).click();
}

/**
 * Opens a view in a page of the browser, and waits until it is all there. `address`: with the key, or without it if the tab
 * has it, as after a reload: the view is then opened at once, without Overview before it.
 */
export async function openView(
  page: Page,
  address: string,
  view: Omit<View, 'name' | 'house'>,
): Promise<void> {
  if (view.desktop === true) await actAsDesktop(page);
  const { origin, hash: key } = new URL(address);
  if (key === '' || view.locked === true) {
    await page.goto(`${origin}/${view.hash}`);
  } else {
    await page.goto(address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate((hash) => {
      window.location.hash = hash;
    }, view.hash);
  }
  await shown(page, view);
}

/** Opens a view in a page that has the window open. What was done in the view before is gone with its screen. */
export async function moveToView(page: Page, view: Pick<View, 'hash' | 'prepare'>): Promise<void> {
  await page.evaluate(moveTo, view.hash === '#/' ? '#/activity' : '#/');
  await page.evaluate(moveTo, view.hash);
  await shown(page, view);
}

/** Runs in the page. Resolves once the other screen is drawn. */
function moveTo(hash: string): Promise<void> | undefined {
  if (window.location.hash === hash) return undefined;
  return new Promise((resolve) => {
    const drawn = () => requestAnimationFrame(() => setTimeout(resolve));
    window.addEventListener('hashchange', drawn, { once: true });
    window.location.hash = hash;
  });
}

/** Waits until a view is all there. */
async function shown(page: Page, view: Pick<View, 'prepare'>): Promise<void> {
  await loaded(page);
  await view.prepare?.(page);
  // A dialog is drawn once before it learns its name; on a busy computer that is seen.
  await page.waitForFunction(() =>
    [...document.querySelectorAll('[role="dialog"]')].every((dialog) =>
      dialog.hasAttribute('aria-labelledby'),
    ),
  );
  await comeToRest(page);
}

/** Dialogs, notes and colours come in softly: they are looked at when they have arrived. What turns for ever is not awaited. */
export async function comeToRest(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ playState, effect }) =>
          playState !== 'running' || effect?.getComputedTiming().iterations === Infinity,
      ),
  );
}

/** Waits until the screen shows its content in place of the bars that stand for it while it loads. */
async function loaded(page: Page): Promise<void> {
  await page.waitForFunction(
    () => document.querySelector('h1') !== null && document.querySelector('.mantine-Skeleton-root') === null,
  );
}
