import type { Browser } from 'playwright';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { untilSteady } from '../support/steady.ts';
import { livedInHouse } from '../support/window-fixtures.ts';
import { serveWindow } from '../support/window-server.ts';
import { openView } from '../support/window-view.ts';

/** The desktop app's window, when it opens for the first time. */
const size = { width: 1100, height: 760 };

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

test.each([
  ['Overview', '#/'],
  ['Webmentions', '#/webmentions'],
])('%s shows the mentions that wait without scrolling, and one click decides', async (_, hash) => {
  const house = livedInHouse(Date.now());
  house.signIns = [];
  const waiting = house.mentions.filter(({ status }) => status === 'held');
  const server = await serveWindow(house);
  const page = await browser.newPage({ viewport: size });
  onTestFinished(async () => {
    await page.close();
    await server.close();
  });
  await openView(page, server.address, { hash });
  const buttons = page.getByRole('main').getByRole('button', { name: 'Approve', exact: true });
  await expect.poll(() => buttons.count()).toBe(waiting.length);
  const boxes = await Promise.all((await buttons.all()).map((button) => button.boundingBox()));
  for (const box of boxes) expect(box!.y + box!.height).toBeLessThan(size.height);
  await untilSteady(buttons.first());
  await buttons.first().click();
  await page.getByText(/^Approved: /).waitFor();
  const [first] = waiting;
  expect(house.mentions.find(({ id }) => id === first?.id)?.status).toBe('approved');
});
