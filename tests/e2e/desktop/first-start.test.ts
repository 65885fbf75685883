import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSite, page as sitePage, type Site } from '../../support/client-app.ts';
import { answerSignIn, whyNoPresses } from '../../support/desktop-screen.ts';
import { callOwner, launchDesktop, whyNoDesktop, type RunningDesktop } from '../../support/electron-app.ts';
import { openEdge, type Edge } from '../../support/fake-edge.ts';
import { answerOf, ask, redeem, signInRequest } from '../../support/sign-in.ts';

const reason = whyNoDesktop() ?? whyNoPresses();
if (reason) console.log(`The first start is skipped: ${reason}.`);

describe.skipIf(reason)('the first start', () => {
  let home: Site;
  let app: Site;
  let edge: Edge;
  let desktop: RunningDesktop;
  beforeAll(async () => {
    home = await openSite('localhost');
    home.pages.set('/', sitePage('<head></head><p class="h-card">Ada</p>'));
    app = await openSite();
    app.pages.set('/', sitePage('<title>Quill</title>'));
    desktop = await launchDesktop({ args: ['--secrets', 'file', '--allow-private-fetch'] });
    edge = await openEdge(() => `http://127.0.0.1:${desktop.ready.port}`);
  });
  afterAll(async () => {
    await desktop.stop();
    await edge.close();
    await app.close();
    await home.close();
  });

  test('leads through the set-up in the window to a sign-in that the native prompt lets in', async () => {
    const { page } = desktop;
    const title = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

    const address = page.getByLabel('Your domain');
    await address.fill('http://ada.localhost/');
    // In the field, because a screen that has just opened focuses its title.
    await address.press('Enter');
    await title('Your profile');
    await page.getByLabel('Name').fill('Ada Marlow');
    await press('Continue');

    await title('How can the web reach you?');
    await page.getByText('Other ways').click();
    await page.getByRole('button', { name: /^Your own reverse proxy/ }).click();
    await page.getByLabel('Your public address').fill(edge.origin);
    await press('Continue');

    // A domain has no port, and the site of a test has nothing else: from here on it is the owner's.
    await callOwner(page, 'settings.update', { profile: { me: `${home.origin}/` } });
    await title('Connect your home page');
    await page.getByText(/doesn’t point to this Porchlight yet/).waitFor();
    const lines =
      (await page.getByLabel('the lines for your home page', { exact: true }).textContent()) ?? '';
    expect(lines).toContain(edge.origin);
    home.pages.set('/', sitePage(`<head>${lines}</head>`));
    await page.getByText('Everything works. Apps can find your sign-in.').waitFor();
    await press('Continue');

    await title('Done');
    await page.getByText(/Last checked/).waitFor();
    await page.getByText(/checks passed$/).click();
    await page.getByText('Your public address leads to this Porchlight').waitFor();
    await press('Go to Overview');
    await page.getByRole('heading', { name: 'Porchlight is on' }).waitFor();
    const check = await callOwner(page, 'setup.lastCheck', {});
    expect(check?.findings.filter(({ level }) => level === 'fail')).toEqual([]);

    // Somebody signs in somewhere, at the address that the set-up gave the site.
    const porchlight = { base: edge.origin };
    const request = signInRequest(app.origin);
    const waiting = await ask(porchlight, request);
    await page.getByText(/^Sign in to .*\?$/).waitFor();
    await answerSignIn('Approve');
    const answer = await answerOf(waiting);
    const tokens = await redeem(porchlight, request, answer.searchParams);
    expect(await tokens.json()).toMatchObject({ token_type: 'Bearer', me: `${home.origin}/` });
    expect((await callOwner(page, 'apps.list', {})).map(({ clientName }) => clientName)).toEqual(['Quill']);
  });
});
