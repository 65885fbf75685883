import type { Browser, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { aimAtApprove, clickTwice, openPerson, type Person } from '../support/approval-races.ts';
import { launchChromium } from '../support/chromium.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';

/** Milliseconds after which whatever a click caused has happened. */
const calm = 1500;

let porchlight: HeadlessProcess;
let chromium: Browser;
let owner: Page;
let quill: Person;
let mallory: Person;

beforeAll(async () => {
  porchlight = await startHeadless({ args: ['--allow-private-fetch', '--me', 'http://localhost/'] });
  chromium = await launchChromium();
  quill = await openPerson(porchlight.ready.baseUrl, 'Quill');
  mallory = await openPerson(porchlight.ready.baseUrl, 'Mallory');
});
beforeEach(async () => {
  owner = await openConsole();
});
afterEach(async () => {
  await owner.context().close();
  for (const id of await waitingIds()) await porchlight.call('signIns.deny', { id });
});
afterAll(async () => {
  await chromium.close();
  await porchlight.remove();
  for (const { app } of [quill, mallory]) await app.close();
});

async function openConsole(): Promise<Page> {
  const window = await (await chromium.newContext({ viewport: { width: 1000, height: 620 } })).newPage();
  await window.goto(`${porchlight.ready.consoleUrl}/#key=${porchlight.ready.ownerKey}`);
  await goToSignIns(window);
  return window;
}

async function goToSignIns(window: Page, id?: string): Promise<void> {
  const hash = id === undefined ? '#/sign-ins' : `#/sign-ins?id=${id}`;
  await window.goto(`${porchlight.ready.consoleUrl}/${hash}`);
  await window.getByRole('heading', { name: 'Sign-ins', exact: true }).waitFor();
}

const waitingIds = async () => (await porchlight.call('signIns.list', {})).map(({ id }) => id);
/** The ids of what the owner let in so far. */
async function approvedIds(): Promise<string[]> {
  const past = await porchlight.call('signIns.history', {});
  return past.filter(({ outcome }) => outcome === 'approved').map(({ id }) => id);
}

describe('a click in the console approves what the owner saw under it, and nothing else', () => {
  test('two clicks at one pixel, 180 ms apart, approve one sign-in', async () => {
    const first = await mallory.ask();
    const second = await quill.ask();
    await clickTwice(owner, await aimAtApprove(owner, second.matchCode));
    await owner.waitForTimeout(calm);
    expect(await approvedIds()).toContain(second.id);
    expect(await waitingIds()).toEqual([first.id]);
    await owner.getByText('Approved: Quill. Go back to your browser.').waitFor();
  });

  test('requests that are made again while the owner aims leave the owner’s own under the pointer', async () => {
    // All cards fit, so the browser's scroll anchoring cannot help.
    await owner.setViewportSize({ width: 1000, height: 2000 });
    const before = await mallory.ask();
    const own = await quill.ask();
    const after = await mallory.withOtherBrowser().ask();
    const { x, y } = await aimAtApprove(owner, own.matchCode);
    const again = await mallory.ask();
    await owner.getByText(again.matchCode, { exact: true }).waitFor();
    await owner.mouse.click(x, y);
    await owner.waitForTimeout(calm);
    const approved = await approvedIds();
    for (const { id } of [before, after, again]) expect(approved).not.toContain(id);
    expect(approved).toContain(own.id);
    await owner.getByText('Approved: Quill. Go back to your browser.').waitFor();
    await owner.getByText('Started again: Mallory').waitFor();
  });

  test('an approval after Review ends with a message that names the app', async () => {
    const asked = await quill.ask();
    await goToSignIns(owner, asked.id);
    await owner.getByRole('button', { name: 'Approve' }).click();
    await owner.waitForTimeout(calm);
    expect(await owner.getByText(/no longer waiting|does not wait any more/).count()).toBe(0);
    await owner.getByText('Approved: Quill. Go back to your browser.').waitFor();
    await goToSignIns(owner);
    await owner.getByRole('link', { name: /Porch/ }).click();
    await goToSignIns(owner, asked.id);
    await owner.getByText('Approved: Quill. Go back to your browser.').waitFor();
  });

  test('what another tab answers leaves a line in this one', async () => {
    const other = await openConsole();
    const asked = await quill.ask();
    await owner.getByText(asked.matchCode, { exact: true }).waitFor();
    await other.getByRole('button', { name: 'Deny' }).click();
    await owner.getByText('Denied: Quill').waitFor();
    await other.context().close();
  });
});
