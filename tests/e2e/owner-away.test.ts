import type { Browser, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { openStrictClient, type StrictClient } from '../support/strict-client.ts';

const flags = ['--allow-private-fetch', '--me', 'http://localhost/'];

let porchlight: HeadlessProcess;
let chromium: Browser;
let app: StrictClient;

beforeAll(async () => {
  porchlight = await startHeadless({ args: flags });
  chromium = await launchChromium();
});
afterAll(async () => {
  await chromium.close();
  await porchlight.remove();
});
beforeEach(async () => void (app = await openStrictClient('Patience')));
afterEach(() => app.close());

/** A browser of somebody who goes to the app, up to the waiting page. */
async function waitingPage({ javaScriptEnabled = true } = {}): Promise<Page> {
  const visitor = await (await chromium.newContext({ javaScriptEnabled })).newPage();
  await visitor.goto(await app.start(porchlight.ready.baseUrl, 'profile'));
  await visitor.getByRole('button', { name: 'Ask on my computer' }).click();
  await visitor.locator('#match-code').waitFor();
  return visitor;
}

const pending = async () => (await porchlight.call('signIns.list', {}))[0]?.id ?? '';
const away = 'Porchlight is turned off or asleep. This page continues when it is back.';
const waiting = 'Waiting for your approval… This page continues by itself.';

describe('a browser that waits for the owner', () => {
  test('learns that the server is turned off, continues when it is on again, and gets its answer', async () => {
    const visitor = await waitingPage();
    const matchCode = await visitor.locator('#match-code').textContent();
    await visitor.getByText(waiting).waitFor();
    await porchlight.call('server.turnOff', {});
    await visitor.getByText(away).waitFor();
    expect(await visitor.locator('#match-code').textContent()).toBe(matchCode);

    await porchlight.call('server.turnOn', {});
    await visitor.getByText(waiting).waitFor();
    await porchlight.call('signIns.approve', { id: await pending(), scopes: ['profile'] });
    await visitor.waitForURL(/\/callback\?/);
    expect(await app.finish()).toMatchObject({ scope: 'profile' });
    await visitor.context().close();
  });

  test('continues by itself without scripts too', async () => {
    const visitor = await waitingPage({ javaScriptEnabled: false });
    await porchlight.call('server.turnOff', {});
    await visitor.getByText('Your sign-in continues when the site is back.').waitFor();
    await porchlight.call('server.turnOn', {});
    await visitor.locator('#match-code').waitFor();
    await porchlight.call('signIns.deny', { id: await pending() });
    await visitor.waitForURL(/\/callback\?/);
    await expect(app.finish()).rejects.toMatchObject({ error: 'access_denied' });
    await visitor.context().close();
  });

  test.each([
    ['with scripts', true],
    ['without scripts', false],
  ])(
    'can cancel %s: the app hears access_denied, and the owner reads it in the place of the card',
    async (_, scripts) => {
      const owner = await (await chromium.newContext()).newPage();
      await owner.goto(`${porchlight.ready.consoleUrl}/#key=${porchlight.ready.ownerKey}`);
      await owner.getByRole('link', { name: /Sign-ins/ }).click();
      const visitor = await waitingPage({ javaScriptEnabled: scripts });
      await owner.getByRole('region', { name: 'Patience' }).waitFor();
      await visitor.getByRole('button', { name: 'Cancel' }).press('Enter');
      await visitor.waitForURL(/\/callback\?/);
      await expect(app.finish()).rejects.toMatchObject({ error: 'access_denied' }); // the library checks state and iss first
      await owner.getByText('The sign-in was cancelled in the browser.').waitFor();
      expect(await porchlight.call('signIns.list', {})).toEqual([]);
      await visitor.context().close();
      await owner.context().close();
    },
  );

  test('offers the way back to the app when the server restarted and forgot the sign-in', async () => {
    const visitor = await waitingPage();
    const { port } = porchlight.ready;
    const { dataDir } = porchlight;
    await porchlight.stop();
    await visitor.getByText(away).waitFor();
    porchlight = await startHeadless({ dataDir, args: [...flags, '--port', String(port)] });
    const heading = visitor.getByRole('heading', { name: 'This sign-in is no longer waiting' });
    await heading.waitFor();
    expect(await heading.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await visitor.title()).toBe('This sign-in is no longer waiting');
    expect(await visitor.locator('#match-code').isVisible()).toBe(false);
    await visitor.getByRole('link', { name: 'Back to Patience' }).click();
    await visitor.waitForURL(/\/callback\?/);
    await expect(app.finish()).rejects.toMatchObject({ error: 'access_denied' });
    await visitor.context().close();
  });
});
