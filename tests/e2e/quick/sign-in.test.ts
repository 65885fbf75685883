import * as oauth from 'oauth4webapi';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../support/chromium.ts';
import { startHeadless, type HeadlessProcess } from '../../support/headless-process.ts';
import { insecure, openStrictClient } from '../../support/strict-client.ts';

let porchlight: HeadlessProcess;
let chromium: Browser;
/** The owner's window, as a page. */
let ownersWindow: Page;

beforeAll(async () => {
  porchlight = await startHeadless({ args: ['--allow-private-fetch', '--me', 'http://localhost/'] });
  await porchlight.call('settings.update', { profile: { name: 'Ada Marlow', email: 'ada@marlow.example' } });
  chromium = await launchChromium();
  ownersWindow = await chromium.newPage();
  await ownersWindow.goto(`${porchlight.ready.consoleUrl}/#key=${porchlight.ready.ownerKey}`);
});

afterAll(async () => {
  await chromium.close();
  await porchlight.remove();
});

/** A browser of somebody who goes to the app, up to the waiting page. */
async function ringTheBell(address: string): Promise<Page> {
  const visitor = await (await chromium.newContext()).newPage();
  await visitor.goto(address);
  await visitor.getByRole('button', { name: 'Ask on my computer' }).click();
  await visitor.waitForURL(/\/auth\/requests\//);
  return visitor;
}

describe('a sign-in, from the app’s button to the app’s welcome', () => {
  test('a strict client signs in, reads userinfo, introspects, refreshes and revokes', async () => {
    const app = await openStrictClient();
    const visitor = await ringTheBell(await app.start(porchlight.ready.baseUrl, 'profile email create'));
    const matchCode = await visitor.locator('#match-code').textContent();
    expect(matchCode).toMatch(/^\d\d$/);

    await ownersWindow.getByRole('link', { name: /Sign-ins/ }).click();
    const card = ownersWindow.getByRole('region', { name: 'Weather Vane' });
    await card.getByText(matchCode ?? '', { exact: true }).waitFor();
    expect(await card.getByRole('checkbox').count()).toBe(3);
    await card.getByRole('checkbox', { name: /Publish/ }).uncheck();
    await card.getByRole('button', { name: 'Approve' }).click();

    await visitor.waitForURL(/\/callback\?/);
    expect(await visitor.textContent('h1')).toBe('Back at the app');
    const tokens = await app.finish();
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'profile email', me: 'http://localhost/' });

    const server = app.server();
    const userinfo = await oauth.protectedResourceRequest(
      tokens.access_token,
      'GET',
      new URL(server.userinfo_endpoint ?? ''),
      undefined,
      undefined,
      insecure,
    );
    expect(await userinfo.json()).toEqual({
      name: 'Ada Marlow',
      url: 'http://localhost/',
      photo: '',
      email: 'ada@marlow.example',
    });

    const bearer =
      (token: string): oauth.ClientAuth =>
      (_server, _client, _body, headers) =>
        headers.set('authorization', `Bearer ${token}`);
    const introspect = async (token: string, caller = token) =>
      oauth.processIntrospectionResponse(
        server,
        app.client,
        await oauth.introspectionRequest(server, app.client, bearer(caller), token, insecure),
      );
    expect(await introspect(tokens.access_token)).toMatchObject({
      active: true,
      client_id: app.client.client_id,
      scope: 'profile email',
    });

    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      app.client,
      await oauth.refreshTokenGrantRequest(
        server,
        app.client,
        oauth.None(),
        tokens.refresh_token ?? '',
        insecure,
      ),
    );
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
    expect(await introspect(refreshed.access_token)).toMatchObject({ active: true });

    const other = await porchlight.call('apps.issueToken', { label: 'A resource server', scopes: ['read'] });
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(
        server,
        app.client,
        oauth.None(),
        refreshed.refresh_token ?? '',
        insecure,
      ),
    );
    expect(await introspect(refreshed.access_token, other.token)).toEqual({ active: false });
    await visitor.context().close();
    await app.close();
  });

  test('a denied sign-in goes back with access_denied, state and iss', async () => {
    const app = await openStrictClient('Nosy Parker');
    const visitor = await ringTheBell(await app.start(porchlight.ready.baseUrl, 'profile'));
    await ownersWindow.getByRole('link', { name: /Sign-ins/ }).click();
    await ownersWindow
      .getByRole('region', { name: 'Nosy Parker' })
      .getByRole('button', { name: 'Deny' })
      .click();
    await visitor.waitForURL(/\/callback\?/);
    await expect(app.finish()).rejects.toMatchObject({ error: 'access_denied' }); // the library checks state and iss first
    await visitor.context().close();
    await app.close();
  });

  test('it works without scripts too', async () => {
    const app = await openStrictClient('Plain Text');
    const visitor = await (await chromium.newContext({ javaScriptEnabled: false })).newPage();
    await visitor.goto(await app.start(porchlight.ready.baseUrl, 'profile'));
    await visitor.getByRole('button', { name: 'Ask on my computer' }).click();
    await visitor.locator('#match-code').waitFor();
    const [pending] = await porchlight.call('signIns.list', {});
    await porchlight.call('signIns.approve', { id: pending?.id ?? '', scopes: ['profile'] });
    await visitor.waitForURL(/\/callback\?/);
    expect(await app.finish()).toMatchObject({ scope: 'profile' });
    await visitor.context().close();
    await app.close();
  });

  test('the pages load nothing from other servers, and their policy allows their own style and script', async () => {
    const app = await openStrictClient('Quiet Page');
    const visitor = await (await chromium.newContext()).newPage();
    const complaints: string[] = [];
    const requested: string[] = [];
    visitor.on('console', (message) => complaints.push(message.text()));
    visitor.on('request', (request) => requested.push(new URL(request.url()).origin));
    await visitor.goto(await app.start(porchlight.ready.baseUrl, 'profile'));
    expect(
      await visitor.getByRole('button').evaluate((button) => getComputedStyle(button).borderRadius),
    ).toBe('10px');
    await visitor.getByRole('button', { name: 'Ask on my computer' }).click();
    await visitor.locator('#match-code').waitFor();
    expect(complaints).toEqual([]);
    expect(new Set(requested)).toEqual(new Set([porchlight.ready.baseUrl]));
    const [pending] = await porchlight.call('signIns.list', {});
    await porchlight.call('signIns.deny', { id: pending?.id ?? '' });
    await visitor.context().close();
    await app.close();
  });
});
