import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { launchChromium } from '../../support/chromium.ts';
import { openSite, page, type Site } from '../../support/client-app.ts';
import {
  answerSignIn,
  countDialogs,
  pressKey,
  shownDialogs,
  signInTitle,
  waitForDialog,
  watchDialogs,
  whyNoPresses,
} from '../../support/desktop-screen.ts';
import { callOwner, launchDesktop, whyNoDesktop, type RunningDesktop } from '../../support/electron-app.ts';
import { answerOf, ask, signInRequest } from '../../support/sign-in.ts';
import { openStrictClient } from '../../support/strict-client.ts';

const reason = whyNoDesktop() ?? whyNoPresses();
if (reason) console.log(`The sign-in prompt tests are skipped: ${reason}.`);

const title = signInTitle;
const buttons = ['Deny', 'Review', 'Approve'] as const;
/** An app whose name tries to be more than a name. */
async function openApp(): Promise<Site> {
  const app = await openSite();
  const name = 'Quill \u202e<b>& friends\u0007';
  app.pages.set('/', page(`<div class="h-app"><a class="u-url p-name" href="/">${name}</a></div>`));
  return app;
}

describe.skipIf(reason)('the native sign-in dialog', () => {
  let desktop: RunningDesktop;
  let app: Site;
  const askToSignIn = (scope: string) =>
    ask({ base: desktop.ready.baseUrl }, signInRequest(app.origin, { scope }));

  beforeAll(async () => {
    app = await openApp();
    desktop = await launchDesktop({
      args: ['--secrets', 'file', '--allow-private-fetch', '--me', 'http://localhost/'],
    });
    await watchDialogs(desktop.app);
  });
  afterEach(async () => {
    const waiting = await callOwner(desktop.page, 'signIns.list', {});
    for (const { id } of waiting) await callOwner(desktop.page, 'signIns.deny', { id });
    await expect.poll(() => countDialogs(title)).toBe(0);
  });
  afterAll(async () => {
    await desktop.stop();
    await app.close();
  });

  test('shows the app, its permissions, the return address and the code, and Approve lets the browser in', async () => {
    const asked = await askToSignIn('profile create made-up');
    await waitForDialog(title);
    const dialog = (await shownDialogs(desktop.app)).at(-1)!;
    expect(dialog.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(dialog.message).toContain(new URL(app.origin).host);
    expect(dialog.message.startsWith(`${asked.matchCode}: Sign in to `)).toBe(true);
    expect(dialog.title).toBe(dialog.message);
    for (const words of [asked.matchCode, '(profile)', '(create)', '(made-up)', `${app.origin}/callback`])
      expect(dialog.detail).toContain(words);
    expect(dialog.buttons).toEqual(buttons);
    expect(dialog.buttons[dialog.defaultId]).toBe('Review');
    expect(dialog.buttons[dialog.cancelId]).toBeUndefined();

    await answerSignIn('Approve');
    const answer = await answerOf(asked);
    expect(answer.searchParams.get('code')).toBeTruthy();
    expect(answer.searchParams.get('state')).toBe('a-state');
  });

  test('Approve leads the browser of a strict client to the client, with the code that both screens showed', async () => {
    const client = await openStrictClient('Weather Vane');
    const chromium = await launchChromium();
    onTestFinished(() => chromium.close());
    const visitor = await chromium.newPage();
    await visitor.goto(await client.start(desktop.ready.baseUrl, 'profile create'));
    await visitor.getByRole('button', { name: 'Ask on my computer' }).click();
    const matchCode = (await visitor.locator('#match-code').textContent()) ?? '';
    await waitForDialog(signInTitle);
    const dialog = (await shownDialogs(desktop.app)).at(-1);
    expect(dialog?.message).toContain('Weather Vane');
    expect(dialog?.detail).toContain(`Approve only if your browser shows ${matchCode}.`);
    await answerSignIn('Approve');
    await visitor.waitForURL(/\/callback\?/);
    expect(await client.finish()).toMatchObject({ scope: 'profile create', me: 'http://localhost/' });
    await client.close();
  });

  test('Deny sends the browser away', async () => {
    const asked = await askToSignIn('profile');
    await answerSignIn('Deny');
    expect((await answerOf(asked)).searchParams.get('error')).toBe('access_denied');
  });

  test('Escape closes the dialog, and the sign-in keeps waiting', async () => {
    const asked = await askToSignIn('profile');
    await pressKey(title, 'Escape');
    await expect.poll(() => countDialogs(title)).toBe(0);
    expect(await callOwner(desktop.page, 'signIns.list', {})).toHaveLength(1);
    expect((await asked.browser.open(asked.address)).status).toBe(200);
  });

  test('Enter opens the window at this sign-in, and approves nothing', async () => {
    await askToSignIn('profile');
    await desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.close());
    await pressKey(title, 'Return');
    const [waiting] = await callOwner(desktop.page, 'signIns.list', {});
    await expect.poll(() => new URL(desktop.page.url()).hash).toBe(`#/sign-ins?id=${waiting!.id}`);
    await expect
      .poll(() => desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible()))
      .toBe(true);
  });

  test('a sign-in dialog waits while the screen is locked', async () => {
    const before = (await shownDialogs(desktop.app)).length;
    await desktop.app.evaluate(({ powerMonitor }) => void powerMonitor.emit('lock-screen'));
    await askToSignIn('profile');
    await expect.poll(() => callOwner(desktop.page, 'signIns.list', {})).toHaveLength(1);
    // The prompt has come to the lock, and would have been shown by now.
    const waiting = () =>
      desktop.app.evaluate(({ powerMonitor }) => powerMonitor.listenerCount('unlock-screen'));
    await expect.poll(waiting).toBe(2);
    expect((await shownDialogs(desktop.app)).length).toBe(before);
    await desktop.app.evaluate(({ powerMonitor }) => void powerMonitor.emit('unlock-screen'));
    await waitForDialog(title);
    expect((await shownDialogs(desktop.app)).length).toBe(before + 1);
  });

  test('closes when the sign-in is answered in the window', async () => {
    const asked = await askToSignIn('profile');
    await waitForDialog(title);
    const [waiting] = await callOwner(desktop.page, 'signIns.list', {});
    await callOwner(desktop.page, 'signIns.approve', { id: waiting!.id, scopes: ['profile'] });
    await expect.poll(() => countDialogs(title)).toBe(0);
    expect((await answerOf(asked)).searchParams.get('code')).toBeTruthy();
  });

  test('two requests get two dialogs, one after the other', async () => {
    const before = (await shownDialogs(desktop.app)).length;
    const first = await askToSignIn('profile');
    const second = await askToSignIn('create');
    await waitForDialog(title);
    expect(countDialogs(title)).toBe(1);
    expect((await shownDialogs(desktop.app)).length).toBe(before + 1);
    await answerSignIn('Deny');
    expect((await answerOf(first)).searchParams.get('error')).toBe('access_denied');
    await expect.poll(async () => (await shownDialogs(desktop.app)).length).toBe(before + 2);
    await answerSignIn('Approve');
    expect((await answerOf(second)).searchParams.get('code')).toBeTruthy();
  });
});
