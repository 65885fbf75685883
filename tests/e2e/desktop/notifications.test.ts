import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openSite, page as sitePage, type Site } from '../../support/client-app.ts';
import { countDialogs, signInTitle, waitForDialog, whyNoPresses } from '../../support/desktop-screen.ts';
import { trayLabels, watchTray } from '../../support/desktop-tray.ts';
import { callOwner, launchDesktop, whyNoDesktop, type RunningDesktop } from '../../support/electron-app.ts';
import {
  startNotificationDaemon,
  whyNoNotifications,
  type NotificationDaemon,
} from '../../support/notification-daemon.ts';
import { openSessionBus, type SessionBus } from '../../support/session-bus.ts';
import { answerOf, ask, signInRequest } from '../../support/sign-in.ts';

const reason = whyNoDesktop() ?? whyNoPresses() ?? whyNoNotifications();
if (reason) console.log(`The notification tests are skipped: ${reason}.`);

/** How long a sign-in waits, as the timer that ends it is set. In ms. */
const lifetime = 600_000;

describe.skipIf(reason)('a notification', () => {
  let bus: SessionBus;
  let daemon: NotificationDaemon;
  let app: Site;
  let desktop: RunningDesktop;
  beforeAll(async () => {
    bus = await openSessionBus();
    daemon = await startNotificationDaemon(bus);
    app = await openSite();
    app.pages.set('/', sitePage('<title>Quill</title>'));
    desktop = await launchDesktop({
      args: ['--secrets', 'file', '--allow-private-fetch', '--me', 'http://127.0.0.1:9/'],
      env: bus.env,
    });
    await watchTray(desktop);
  });
  afterAll(async () => {
    await desktop.stop();
    await app.close();
    await bus.close();
  });

  const askToSignIn = () => ask({ base: desktop.ready.baseUrl }, signInRequest(app.origin));
  afterEach(async () => {
    for (const { id } of await callOwner(desktop.page, 'signIns.list', {}))
      await callOwner(desktop.page, 'signIns.deny', { id });
    await expect.poll(() => countDialogs(signInTitle)).toBe(0);
  });

  const callsOf = (start: string) => daemon.calls().filter((call) => call.startsWith(start));
  const noticeOf = (code: string) =>
    expect.poll(() => callsOf('Notify').find((call) => call.includes(code)), { timeout: 60_000 });

  test('of a sign-in arrives, asks for no sound, with the app’s name and the code, and no way to approve', async () => {
    const { matchCode } = await askToSignIn();
    await noticeOf(`browser shows ${matchCode}`).toBeDefined();
    const notice = callsOf('Notify').at(-1)!;
    expect(notice).toMatch(/^Notify "Porchlight" 0 .*Sign in to Quill \(127\.0\.0\.1(:\d+)?\)\?/);
    expect(notice).not.toMatch(/"sound-(name|file)"/);
    // Its actions: none of them lets anybody in.
    expect(notice).toContain(' [] {');
  });

  test('disappears when the sign-in is answered elsewhere', async () => {
    const { matchCode, id } = await askToSignIn();
    await noticeOf(`browser shows ${matchCode}`).toBeDefined();
    const before = callsOf('CloseNotification').length;
    await callOwner(desktop.page, 'signIns.deny', { id });
    await expect.poll(() => callsOf('CloseNotification').length).toBe(before + 1);
    await expect.poll(() => countDialogs(signInTitle)).toBe(0);
  });

  test('disappears with the dialog, the tray entry and the card when nobody answers and the sign-in expires', async () => {
    await desktop.app.evaluate((_electron, lifetime) => {
      const real = globalThis.setTimeout;
      const ends: (() => void)[] = [];
      Reflect.set(globalThis, 'endLifetimes', () => ends.splice(0).forEach((end) => end()));
      const watching = (task: () => void, ms?: number) => {
        if (ms === lifetime) ends.push(task);
        return real(task, ms);
      };
      Reflect.set(globalThis, 'setTimeout', watching);
    }, lifetime);
    await desktop.page.evaluate(() => void (location.hash = '#/sign-ins'));
    const asked = await askToSignIn();
    await noticeOf(`browser shows ${asked.matchCode}`).toBeDefined();
    const closed = callsOf('CloseNotification').length;
    await waitForDialog(signInTitle);
    await expect.poll(() => trayLabels(desktop)).toContain('1 sign-in is waiting…');
    const card = desktop.page.getByText(asked.matchCode, { exact: true });
    await card.first().waitFor();

    await desktop.app.evaluate(() => (Reflect.get(globalThis, 'endLifetimes') as () => void)());
    expect((await answerOf(asked)).searchParams.get('error')).toBe('access_denied');
    await expect.poll(() => countDialogs(signInTitle)).toBe(0);
    await expect.poll(() => callsOf('CloseNotification').length).toBe(closed + 1);
    await expect.poll(() => trayLabels(desktop)).not.toContain('1 sign-in is waiting…');
    await expect.poll(() => card.count()).toBe(0);
  });

  test('is not shown if the owner has turned notifications off', async () => {
    await callOwner(desktop.page, 'settings.update', { desktop: { notifications: false } });
    const before = callsOf('Notify').length;
    const { id } = await askToSignIn();
    await waitForDialog(signInTitle);
    await callOwner(desktop.page, 'signIns.deny', { id });
    await callOwner(desktop.page, 'settings.update', { desktop: { notifications: true } });
    // One that comes later is there: so that the one before would have been.
    const { matchCode } = await askToSignIn();
    await noticeOf(`browser shows ${matchCode}`).toBeDefined();
    expect(callsOf('Notify')).toHaveLength(before + 1);
  });
});
