import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  countDialogs,
  pressButton,
  pressKey,
  shownDialogs,
  waitForDialog,
  watchDialogs,
  whyNoPresses,
} from '../../support/desktop-screen.ts';
import { callOwner, launchDesktop, whyNoDesktop, type RunningDesktop } from '../../support/electron-app.ts';

const reason = whyNoDesktop() ?? whyNoPresses();
if (reason) console.log(`The sign-in prompt tests are skipped: ${reason}.`);

const title = 'Sign-in';
const buttons = ['Deny', 'Review', 'Approve'] as const;
const press = (button: (typeof buttons)[number]) =>
  pressButton(title, buttons.indexOf(button), buttons.length);

/** An app's page, whose name tries to be more than a name. */
function startClient(): Promise<Server> {
  const page = '<div class="h-app"><a class="u-url p-name" href="/">Quill \u202e<b>& friends\u0007</a></div>';
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html; charset=utf-8').end(page),
  );
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

interface Asked {
  readonly client: string;
  readonly matchCode: string;
  /** What the browser gets when it looks again. */
  readonly look: () => Promise<Response>;
}

/** Does what a browser does: reads the request page, presses its button, sees the match code. */
async function askToSignIn({ ready }: RunningDesktop, client: string, scope: string): Promise<Asked> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client,
    redirect_uri: `${client}callback`,
    state: 'of-the-app',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    scope,
  });
  const page = await fetch(`${ready.baseUrl}/auth?${query}`);
  const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
  const fields = [...(await page.text()).matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
    ([, name, value]) => [name!, value!.replaceAll('&amp;', '&')] as [string, string],
  );
  const rung = await fetch(`${ready.baseUrl}/auth/requests`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { cookie },
    redirect: 'manual',
  });
  const place = new URL(rung.headers.get('location') ?? '', ready.baseUrl);
  const look = () => fetch(place, { headers: { cookie }, redirect: 'manual' });
  const matchCode = />(\d\d)<\/output>/.exec(await (await look()).text())?.[1] ?? '';
  return { client, matchCode, look };
}

/** Where the browser is sent at last. */
async function answerOf(asked: Asked): Promise<URL> {
  await expect.poll(async () => (await asked.look()).status, { interval: 200 }).toBe(302);
  return new URL((await asked.look()).headers.get('location') ?? '');
}

describe.skipIf(reason)('the native sign-in dialog', () => {
  let desktop: RunningDesktop;
  let server: Server;
  let client: string;

  beforeAll(async () => {
    server = await startClient();
    client = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    desktop = await launchDesktop({
      args: ['--secrets', 'file', '--allow-private-fetch', '--me', 'http://127.0.0.1:9/'],
    });
    await watchDialogs(desktop.app);
  });
  afterEach(async () => {
    const waiting = (await callOwner(desktop.page, 'signIns.list')) as unknown as { id: string }[];
    for (const { id } of waiting) await callOwner(desktop.page, 'signIns.deny', { id });
    await expect.poll(() => countDialogs(title)).toBe(0);
  });
  afterAll(async () => {
    await desktop.stop();
    server.close();
  });

  test('says who asks, for what, where the answer goes and the code, and Approve lets the browser in', async () => {
    const asked = await askToSignIn(desktop, client, 'profile create made-up');
    await waitForDialog(title);
    const dialog = (await shownDialogs(desktop.app)).at(-1)!;
    expect(dialog.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(dialog.message).toContain(new URL(client).host);
    for (const words of [asked.matchCode, '(profile)', '(create)', '(made-up)', `${client}callback`])
      expect(dialog.detail).toContain(words);
    expect(dialog.buttons).toEqual(buttons);
    expect(dialog.buttons[dialog.defaultId]).toBe('Review');
    expect(dialog.buttons[dialog.cancelId]).toBeUndefined();

    await press('Approve');
    const answer = await answerOf(asked);
    expect(answer.searchParams.get('code')).toBeTruthy();
    expect(answer.searchParams.get('state')).toBe('of-the-app');
  });

  test('Deny sends the browser away', async () => {
    const asked = await askToSignIn(desktop, client, 'profile');
    await press('Deny');
    expect((await answerOf(asked)).searchParams.get('error')).toBe('access_denied');
  });

  test('Escape answers nothing: the sign-in goes on waiting', async () => {
    const asked = await askToSignIn(desktop, client, 'profile');
    await pressKey(title, 'Escape');
    await expect.poll(() => countDialogs(title)).toBe(0);
    expect(await callOwner(desktop.page, 'signIns.list')).toHaveLength(1);
    expect((await asked.look()).status).toBe(200);
  });

  test('Enter reviews: it opens the window at this sign-in, and approves nothing', async () => {
    await askToSignIn(desktop, client, 'profile');
    await desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.close());
    await pressKey(title, 'Return');
    const [waiting] = (await callOwner(desktop.page, 'signIns.list')) as unknown as { id: string }[];
    await expect.poll(() => new URL(desktop.page.url()).hash).toBe(`#/sign-ins?id=${waiting!.id}`);
    await expect
      .poll(() => desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible()))
      .toBe(true);
  });

  test('goes away when the sign-in is settled in the window', async () => {
    const asked = await askToSignIn(desktop, client, 'profile');
    await waitForDialog(title);
    const [waiting] = (await callOwner(desktop.page, 'signIns.list')) as unknown as { id: string }[];
    await callOwner(desktop.page, 'signIns.approve', { id: waiting!.id, scopes: ['profile'] });
    await expect.poll(() => countDialogs(title)).toBe(0);
    expect((await answerOf(asked)).searchParams.get('code')).toBeTruthy();
  });

  test('two requests get two dialogs, one after the other', async () => {
    const before = (await shownDialogs(desktop.app)).length;
    const first = await askToSignIn(desktop, client, 'profile');
    const second = await askToSignIn(desktop, client, 'create');
    await waitForDialog(title);
    expect(countDialogs(title)).toBe(1);
    expect((await shownDialogs(desktop.app)).length).toBe(before + 1);
    await press('Deny');
    expect((await answerOf(first)).searchParams.get('error')).toBe('access_denied');
    await expect.poll(async () => (await shownDialogs(desktop.app)).length).toBe(before + 2);
    await press('Approve');
    expect((await answerOf(second)).searchParams.get('code')).toBeTruthy();
  });
});
