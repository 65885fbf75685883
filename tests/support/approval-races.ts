import type { Locator, Page } from 'playwright';
import { openBrowser, type Browser } from './browser.ts';
import { openSite, page, type Site } from './client-app.ts';
import { ask, signInRequest, type Waiting } from './sign-in.ts';

/** Milliseconds between the two presses of a double click. */
const doubleClickMs = 180;

/** An app that people sign in to, with the browser of one person in front of it. */
export interface Person {
  readonly app: Site;
  readonly browser: Browser;
  /** Asks to sign in; asking again replaces what waits. */
  ask(): Promise<Waiting>;
  /** Another browser at the same app. */
  withOtherBrowser(): Person;
}

/** Opens an app named `name`, and a browser that asks `base` to sign in to it. */
export async function openPerson(base: string, name: string): Promise<Person> {
  const app = await openSite();
  app.pages.set('/', page(`<div class="h-app"><a class="u-url p-name" href="/">${name}</a></div>`));
  const personWith = (browser: Browser): Person => ({
    app,
    browser,
    ask: () => ask({ base }, signInRequest(app.origin, { scope: 'profile create' }), browser),
    withOtherBrowser: () => personWith(openBrowser(base)),
  });
  return personWith(openBrowser(base));
}

/** A point on the screen. */
interface Point {
  readonly x: number;
  readonly y: number;
}

/** Returns the Approve button of the card with this code. */
export function approveOf(window: Page, matchCode: string): Locator {
  return window
    .getByRole('region')
    .filter({ has: window.getByText(matchCode, { exact: true }) })
    .getByRole('button', { name: 'Approve' });
}

/** Scrolls a card's Approve button into view and returns its middle, once the button accepts clicks. */
export async function aimAtApprove(window: Page, matchCode: string): Promise<Point> {
  const button = approveOf(window, matchCode);
  await button.scrollIntoViewIfNeeded();
  await button.click({ trial: true });
  const box = await button.boundingBox();
  if (!box) throw new Error(`There is no Approve button beside the code ${matchCode}.`);
  const point = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await window.mouse.move(point.x, point.y);
  return point;
}

/** Clicks twice at one pixel, as a double click does. */
export async function clickTwice(window: Page, { x, y }: Point): Promise<void> {
  await window.mouse.click(x, y);
  await window.waitForTimeout(doubleClickMs);
  await window.mouse.click(x, y);
}
