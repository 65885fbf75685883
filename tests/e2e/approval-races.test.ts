import type { Browser, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { aimAtApprove, approveOf, clickTwice, openPerson, type Person } from '../support/approval-races.ts';
import { launchChromium } from '../support/chromium.ts';
import type { Waiting } from '../support/sign-in.ts';
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

/** Returns where a card's Approve button is in the window, in whole pixels. */
async function placeOfApprove({ matchCode }: Waiting): Promise<number[]> {
  const box = await approveOf(owner, matchCode).boundingBox();
  return Object.values(box ?? {}).map(Math.round);
}

/** Has a person ask, and waits until the owner's window knows. */
async function shown(person: Person): Promise<Waiting> {
  const asked = person.ask();
  await owner.waitForResponse(async (response) => {
    if (!response.url().endsWith('/api/signIns.list')) return false;
    return (await response.text()).includes((await asked).id);
  });
  // Two frames later, the list is drawn and measured.
  await owner.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return asked;
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
    await owner.getByRole('link', { name: 'Overview' }).click();
    await goToSignIns(owner, asked.id);
    await owner.getByText('Approved: Quill. Go back to your browser.').waitFor();
  });

  test('a request that is answered in another tab leaves a line in this one', async () => {
    const other = await openConsole();
    const asked = await quill.ask();
    await owner.getByText(asked.matchCode, { exact: true }).waitFor();
    await other.getByRole('button', { name: 'Deny' }).click();
    await owner.getByText('Denied: Quill').waitFor();
    await other.context().close();
  });

  test('a click on a button that just moved says so at the button, and counts a second later', async () => {
    const asked = await shown(quill);
    await aimAtApprove(owner, asked.matchCode);
    const approve = approveOf(owner, asked.matchCode);
    await approve.evaluate((button) => {
      document.querySelector('main')!.style.marginTop = '40px';
      (button as HTMLButtonElement).click();
    });
    const message = owner.getByRole('tooltip', { includeHidden: true });
    expect(await message.textContent()).toBe('This moved. Check the code, then click again.');
    const [at, button] = [await message.boundingBox(), await approve.boundingBox()];
    // Below it, or above it at the lower end of the window.
    const gap = at!.y > button!.y ? at!.y - button!.y - button!.height : button!.y - at!.y - at!.height;
    expect(gap).toBeLessThan(20);
    expect(Math.abs(at!.x - button!.x)).toBeLessThan(20);
    expect(await approve.getAttribute('aria-disabled')).toBe('true');
    expect(await waitingIds()).toEqual([asked.id]);
    await approve.click();
    await owner.getByText('Approved: Quill. Go back to your browser.').waitFor();
    expect(await message.count()).toBe(0);
  });

  test('a card that ends below the pointer keeps the page’s length, so the browser does not scroll', async () => {
    const own = await shown(quill);
    const below = await shown(mallory.withOtherBrowser());
    await owner.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    const place = await placeOfApprove(own);
    await porchlight.call('signIns.deny', { id: below.id });
    await owner.getByText('Denied: Mallory').waitFor();
    expect(await placeOfApprove(own)).toEqual(place);
  });

  test.each([
    [700, 'with'],
    [700, 'without'],
    [1300, 'with'],
    [1300, 'without'],
    [2600, 'with'],
    [2600, 'without'],
  ])(
    'a browser that asks again and again moves nothing on the screen, in a window %i px tall %s scroll anchoring',
    async (height, anchoring) => {
      await owner.setViewportSize({ width: 1000, height });
      if (anchoring === 'without')
        await owner.addStyleTag({ content: '* { overflow-anchor: none !important; }' });
      const flood = mallory.withOtherBrowser();
      for (let turn = 0; turn < 6; turn += 1) await shown(flood);
      const own = await shown(quill);
      const { x, y } = await aimAtApprove(owner, own.matchCode);
      const place = await placeOfApprove(own);
      for (let turn = 0; turn < 6; turn += 1) {
        await shown(flood);
        expect(await placeOfApprove(own)).toEqual(place);
      }
      await owner.mouse.click(x, y);
      await owner.getByText('Approved: Quill. Go back to your browser.').waitFor();
      await owner.mouse.click(x, y);
      await owner.waitForTimeout(calm);
      expect(await approvedIds()).toContain(own.id);
      for (const { outcome, clientName } of await porchlight.call('signIns.history', {}))
        expect(`${outcome} ${clientName}`).not.toBe('approved Mallory');
    },
  );
});
