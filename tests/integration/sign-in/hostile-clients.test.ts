import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { json, openSite, page, type Page, type Site } from '../../support/client-app.ts';
import { groups, relationBomb, turbulence } from '../../support/hostile-samples.ts';
import { patience } from '../../support/patience.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { authorizationUrl, signInRequest } from '../../support/sign-in.ts';

vi.setConfig({ testTimeout: 540_000 });

const attacker = '203.0.113.9';
const visitor = '198.51.100.7';

let porchlight: Porchlight;
let hostile: Site;
let app: Site;
beforeEach(async () => {
  [hostile, app] = await Promise.all([openSite(), openSite()]);
  app.pages.set('/', page('<title>Quill</title>'));
  porchlight = await startPorchlight();
});
afterEach(async () => {
  await porchlight.remove();
  await Promise.all([hostile.close(), app.close()]);
});

/** Opens the page on which a visitor would ask the owner to sign in to an app. */
async function view(origin: string, path: string, address: string): Promise<Response> {
  const request = signInRequest(origin, { client_id: `${origin}${path}` });
  return fetch(authorizationUrl(porchlight.base, request), { headers: { 'cf-connecting-ip': address } });
}

describe('the page of a hostile app', () => {
  test('the page of a hostile app uses up the budget of its visitor, who gets 429 with Retry-After, while others sign in', async () => {
    await view(app.origin, '/', visitor); // now the threads are there
    const body = relationBomb();
    const attack: Promise<Response>[] = [];
    for (let each = 0; each < 29; each += 1) {
      hostile.pages.set(`/${each}`, page(body));
      attack.push(view(hostile.origin, `/${each}`, attacker));
    }
    let over = 0;
    for (const each of attack) void each.finally(() => (over += 1));
    await vi.waitUntil(() => hostile.requests.length > 0, patience);
    // A page that was not read before: it needs a turn among those of the attack, and gets it before their last.
    app.pages.set('/new', page('<title>Nib</title>'));
    const answer = await view(app.origin, '/new', visitor);
    const overBefore = over;
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('Nib');
    expect(overBefore).toBeLessThan(attack.length);
    const refused = (await Promise.all(attack)).filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('the picture of a hostile app', () => {
  test.each([
    ['noise', turbulence],
    ['layers', groups(15_000)],
  ])('made of %s holds up no other sign-in', async (_, drawing) => {
    await view(app.origin, '/', visitor); // now the threads are there
    hostile.pages.set('/logo', page(drawing, { 'content-type': 'image/svg+xml' }));
    for (let each = 0; each < 20; each += 1) {
      const client_id = `${hostile.origin}/${each}`;
      hostile.pages.set(`/${each}`, json({ client_id, logo_uri: `${hostile.origin}/logo?${each}` }));
    }
    // The attack goes on until the visitor is answered: whoever had to wait for its end would wait for ever.
    let isAnswered = false;
    const attack = Array.from({ length: 20 }, async (_, each) => {
      while (!isAnswered) await view(hostile.origin, `/${each}`, attacker);
    });
    await vi.waitUntil(() => hostile.requests.some((each) => each.includes('/logo')), patience);
    app.pages.set('/new', page('<title>Nib</title>'));
    const answer = await view(app.origin, '/new', visitor);
    isAnswered = true;
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('Nib');
    await Promise.all(attack);
  });
});

describe('an app that a redirect of its address leads away from', () => {
  test('an app whose address redirects elsewhere shows neither name nor picture of the page there', async () => {
    app.pages.set('/', page('<title>Your Bank</title><link rel="icon" href="/icon.svg">'));
    app.pages.set('/icon.svg', page('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'));
    hostile.pages.set('/', (_request, response) =>
      response.writeHead(302, { location: `${app.origin}/` }).end(),
    );
    const text = await (await view(hostile.origin, '/', visitor)).text();
    expect(text).not.toContain('Your Bank');
    expect(text).not.toContain('data:image');
    expect(text).toContain(new URL(hostile.origin).host);
    expect(app.requests).not.toContain('GET /icon.svg');
  });
});

describe('a lookup that fails', () => {
  const unread = 'Porchlight could not read this app’s page';

  test.each<[string, (site: Site) => Promise<string> | string]>([
    ['that is not there', (site) => `${site.origin}/none`],
    ['whose port is closed', () => closedPort()],
    [
      'that redirects for ever',
      (site) => (site.pages.set('/round', redirect('/round')), `${site.origin}/round`),
    ],
    [
      'that redirects elsewhere',
      (site) => (site.pages.set('/away', redirect(app.origin)), `${site.origin}/away`),
    ],
    [
      'that is too large',
      (site) => (site.pages.set('/big', page('x'.repeat(600_000))), `${site.origin}/big`),
    ],
    [
      'that redirects to a closed port',
      async (site) => {
        site.pages.set('/in', redirect(await closedPort()));
        return `${site.origin}/in`;
      },
    ],
  ])('a failed lookup of a page %s tells a visitor no reason', async (_, clientAt) => {
    const client = new URL(await clientAt(hostile));
    const answer = await view(client.origin, client.pathname, visitor);
    const text = await answer.text();
    expect(answer.status).toBe(200);
    expect(text).toContain(unread);
    // The other warning says that the response goes to loopback.
    expect(text.split('class="warning"')).toHaveLength(3);
    expect(text).not.toMatch(/refused|closed|timeout|too long|status/i);
  });
});

describe('a picture that takes long', () => {
  test('a picture that takes long is left out of the page, and shown the next time', async () => {
    let arrive: () => void = () => undefined;
    app.pages.set('/', page('<title>Quill</title><link rel="icon" href="/icon.svg">'));
    app.pages.set('/icon.svg', (_request, response) => {
      arrive = () => response.end('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    });
    expect(await (await view(app.origin, '/', visitor)).text()).not.toContain('data:image');
    arrive();
    await expect
      .poll(async () => (await view(app.origin, '/', visitor)).text(), { interval: 500, timeout: 60_000 })
      .toContain('data:image/png');
    expect(app.requests.filter((each) => each === 'GET /icon.svg')).toHaveLength(1);
  });
});

const redirect =
  (location: string): Page =>
  (_request, response) =>
    void response.writeHead(302, { location }).end();

async function closedPort(): Promise<string> {
  const site = await openSite();
  await site.close();
  return `${site.origin}/`;
}
