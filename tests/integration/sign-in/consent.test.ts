import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signInText } from '../../../src-main/command/sign-ins.ts';
import { promptWords } from '../../../src-main/desktop/dialog-words.ts';
import { hiddenFields, unescape } from '../../support/browser.ts';
import { jsonOf } from '../../support/answers.ts';
import { json } from '../../support/client-app.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { authorizationUrl, redeem } from '../../support/sign-in.ts';

let scene: Scene;
beforeAll(async () => void (scene = await openScene()));
afterAll(() => scene.close());

const urlOf = (parameters = {}) => authorizationUrl(scene.porchlight.base, scene.request(parameters));

describe('IA-70 the prompt', () => {
  const scope = 'profile create https://scope.example/odd <b>bold</b>';

  test('shows the app, every scope, known or not, and the return address', async () => {
    const page = unescape(await (await scene.visitor().open(urlOf({ scope }))).text());
    for (const text of ['Quill', `${scene.app.origin}/`, `${scene.app.origin}/callback`, 'owner.example'])
      expect(page).toContain(text);
    for (const name of scope.split(' ')) expect(page).toContain(`<code>${name}</code>`);
  });

  test('says the same to the owner', async () => {
    const waiting = await scene.ask(scene.request({ scope }));
    const [pending] = await scene.porchlight.call('signIns.list', {});
    expect(pending).toMatchObject({
      id: waiting.id,
      matchCode: waiting.matchCode,
      clientId: `${scene.app.origin}/`,
      clientName: 'Quill',
      redirectUri: `${scene.app.origin}/callback`,
      scopes: scope.split(' '),
    });
    expect(pending?.permissions.map((permission) => permission.scope)).toEqual(scope.split(' '));
    await scene.porchlight.call('signIns.deny', { id: waiting.id });
  });

  test('IA-70 the prompt shows an app’s name and requests as text, never as markup', async () => {
    const clientId = `${scene.app.origin}/app.json`;
    const name = '<img src=x onerror=alert(1)>"\'';
    scene.app.pages.set('/app.json', json({ client_id: clientId, client_name: name }));
    const page = await (
      await scene.visitor().open(urlOf({ client_id: clientId, scope: "<script>alert('x')</script>" }))
    ).text();
    expect(page).not.toMatch(/<img src=x|<script>alert/);
    expect(unescape(page)).toContain(name);
  });

  test('lets the owner take scopes away, and nothing be added', async () => {
    const { porchlight } = scene;
    const waiting = await scene.ask(scene.request({ scope: 'profile create' }));
    await expect(
      porchlight.call('signIns.approve', { id: waiting.id, scopes: ['profile', 'delete'] }),
    ).rejects.toMatchObject({ code: 'invalid_scope' });
    await scene.approve(waiting, { scopes: ['profile'] });
    expect((await scene.wayBack(waiting)).searchParams.has('code')).toBe(true);
  });
});

describe('RFC 8252 an app on the computer where the browser runs', () => {
  const words = 'The response goes to a program on the computer where the browser runs.';
  /** Publishes an app with this redirect URI. Returns what its request page and the owner's three prompts show. */
  async function shownFor(redirectUri: string): Promise<Record<string, string>> {
    const clientId = `${scene.app.origin}/app.json`;
    const app = { client_id: clientId, client_name: 'Known app', redirect_uris: [redirectUri] };
    scene.app.pages.set('/app.json', json(app, { 'cache-control': 'no-store' }));
    const parameters = { client_id: clientId, redirect_uri: redirectUri };
    const page = unescape(await (await scene.visitor().open(urlOf(parameters))).text());
    const waiting = await scene.ask(scene.request(parameters));
    const [signIn] = await scene.porchlight.call('signIns.list', {});
    await scene.porchlight.call('signIns.deny', { id: waiting.id });
    return {
      page,
      dialog: promptWords(signIn!).detail,
      card: signIn!.warnings.join('\n'),
      terminal: signInText(signIn!),
    };
  }

  test.each([
    'http://127.0.0.1:51234/cb',
    'http://[::1]:51234/cb',
    'http://localhost:51234/cb',
    'https://localhost:51234/cb',
    'app.example://cb',
  ])(
    'with %s, the page, the dialog, the card and the terminal show the return address',
    async (redirectUri) => {
      const shown = await shownFor(redirectUri);
      for (const [place, text] of Object.entries(shown)) expect(text, place).toContain(words);
    },
  );

  test('with the redirect URI of a website, none of them say so', async () => {
    const shown = await shownFor('https://known.example/callback');
    for (const [place, text] of Object.entries(shown)) expect(text, place).not.toContain('a program on');
  });
});

describe('IA-71 no page of the sign-in can be framed, or reveals its address to others', () => {
  const pages: [string, () => Promise<Response>][] = [
    ['the request page', () => scene.visitor().open(urlOf())],
    ['the page of a fault', () => scene.visitor().open(urlOf({ response_type: 'token' }))],
    ['the page of a request that leads nowhere', () => scene.visitor().open('/auth')],
    ['the page of a refused button', () => scene.visitor().open('/auth/requests', { method: 'POST' })],
    ['the page where nothing waits', () => scene.visitor().open('/auth/requests/nothing')],
    [
      'the waiting page',
      async () => {
        const waiting = await scene.ask(scene.request());
        const response = await waiting.browser.open(waiting.address);
        await scene.porchlight.call('signIns.deny', { id: waiting.id });
        return response;
      },
    ],
  ];

  test.each(pages)('%s', async (_name, open) => {
    const { headers } = await open();
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('form-action'); // Chromium would apply it to the way back
    expect(policy).not.toContain('unsafe');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('IA-72 the button belongs to one browser and the very request that it was shown with', () => {
  async function requestPage(parameters = {}) {
    const browser = scene.visitor();
    return { browser, fields: hiddenFields(await (await browser.open(urlOf(parameters))).text()) };
  }

  const press = ({ browser }: Pick<Awaited<ReturnType<typeof requestPage>>, 'browser'>, fields: object) =>
    browser.open('/auth/requests', { method: 'POST', body: new URLSearchParams({ ...fields }) });

  async function expectRefused(response: Response, status = 403): Promise<void> {
    expect(response.status).toBe(status);
    expect(response.headers.get('location')).toBeNull();
    expect(await scene.porchlight.call('signIns.list', {})).toEqual([]);
  }

  test('as it was shown it rings', async () => {
    const page = await requestPage();
    const pressed = await press(page, page.fields);
    expect(pressed.status).toBe(303);
    const [pending, ...others] = await scene.porchlight.call('signIns.list', {});
    expect(others).toEqual([]);
    await scene.porchlight.call('signIns.deny', { id: pending?.id ?? '' });
  });

  test('without a proof it does not', async () => {
    const page = await requestPage();
    await expectRefused(await press(page, { request: page.fields['request'] }), 400);
    await expectRefused(await press(page, { ...page.fields, proof: '' }), 400);
  });

  test('with a wrong proof it does not', async () => {
    const page = await requestPage();
    const { proof = '' } = page.fields;
    for (const wrong of ['x', `${proof}x`, proof.slice(1), 'A'.repeat(proof.length), proof.toUpperCase()])
      await expectRefused(await press(page, { ...page.fields, proof: wrong }));
  });

  test('the button does not work with the proof of another request', async () => {
    const page = await requestPage();
    const other = hiddenFields(await (await page.browser.open(urlOf({ scope: 'delete' }))).text());
    await expectRefused(await press(page, { request: other['request'], proof: page.fields['proof'] }));
  });

  test('the button does not work for a request that was changed', async () => {
    const page = await requestPage();
    await expectRefused(
      await press(page, { ...page.fields, request: `${page.fields['request'] ?? ''}+delete` }),
    );
  });

  test('the button does not work in another browser, with a cookie of its own or without', async () => {
    const page = await requestPage();
    const other = await requestPage();
    await expectRefused(await press(other, page.fields));
    await expectRefused(await press({ browser: scene.visitor() }, page.fields));
  });

  test('with a cookie that this server never gave it does not', async () => {
    const page = await requestPage();
    for (const cookie of [
      '',
      'x',
      'A'.repeat(43),
      `${page.browser.cookies.get('__Host-porchlight') ?? ''}x`,
    ]) {
      page.browser.cookies.set('__Host-porchlight', cookie);
      await expectRefused(await press(page, page.fields));
    }
  });
});

describe('the way back', () => {
  test('IA-73 nothing is redirected before the owner answered', async () => {
    const browser = scene.visitor();
    expect((await browser.open(urlOf())).headers.get('location')).toBeNull();
    expect((await browser.open(urlOf({ scope: '"' }))).headers.get('location')).toBeNull();
    const waiting = await scene.ask(scene.request(), browser);
    const page = await browser.open(waiting.address);
    expect([page.status, page.headers.get('location')]).toEqual([200, null]);
    await scene.porchlight.call('signIns.deny', { id: waiting.id });
  });

  test('IA-74 the button answers 303, the waiting page 302', async () => {
    const browser = scene.visitor();
    const pressed = await browser.press(await (await browser.open(urlOf())).text());
    expect(pressed.status).toBe(303);
    const address = pressed.headers.get('location') ?? '';
    await scene.porchlight.call('signIns.deny', { id: address.split('/').at(-1) ?? '' });
    expect((await browser.open(address)).status).toBe(302);
  });

  test('IA-75 approved: code, state and iss, and nothing else', async () => {
    const answer = await scene.signIn(scene.request({ state: 'the state' }));
    expect([...answer]).toEqual([
      ['code', expect.stringMatching(/^[\w-]{43}$/)],
      ['state', 'the state'],
      ['iss', `${scene.porchlight.base}/`],
    ]);
  });

  test('IA-75 the query of the redirect URI stays', async () => {
    const waiting = await scene.ask(
      scene.request({ redirect_uri: `${scene.app.origin}/callback?a=1&b=%20` }),
    );
    await scene.approve(waiting);
    const back = await scene.wayBack(waiting);
    expect(back.href).toMatch(/\/callback\?a=1&b=%20&code=/);
  });

  test('IA-76 denied: access_denied, state and iss', async () => {
    const waiting = await scene.ask(scene.request({ state: 'the state' }));
    await scene.porchlight.call('signIns.deny', { id: waiting.id });
    const back = await scene.wayBack(waiting);
    expect(`${back.origin}${back.pathname}`).toBe(`${scene.app.origin}/callback`);
    expect(Object.fromEntries(back.searchParams)).toEqual({
      error: 'access_denied',
      error_description: expect.any(String) as unknown,
      state: 'the state',
      iss: `${scene.porchlight.base}/`,
    });
  });

  test('IA-76 over before it was answered: the same', async () => {
    const first = await scene.ask(scene.request({ state: 'first' }));
    const second = await scene.ask(scene.request({ state: 'second' }), first.browser); // takes its place
    const { searchParams } = await scene.wayBack(first);
    expect(searchParams.get('error')).toBe('access_denied');
    expect(searchParams.get('state')).toBe('first');
    expect(searchParams.get('iss')).toBe(`${scene.porchlight.base}/`);
    await scene.porchlight.call('signIns.deny', { id: second.id });
  });

  test.each([
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_scope', { scope: 'email' }],
    ['invalid_request', { state: undefined }],
  ])('IA-77 the error is called %s', async (error, parameters) => {
    const page = await (await scene.visitor().open(urlOf(parameters))).text();
    expect(page).toContain(`<code>${error}</code>`);
  });

  test('IA-78 a reload of the way back leads to the same code, which is still good for one use', async () => {
    const request = scene.request();
    const waiting = await scene.ask(request);
    await scene.approve(waiting);
    const first = await scene.wayBack(waiting);
    expect((await scene.wayBack(waiting)).href).toBe(first.href);
    expect((await redeem(scene.porchlight, request, first.searchParams)).status).toBe(200);
    expect((await redeem(scene.porchlight, request, first.searchParams)).status).toBe(400);
  });
});

describe('the waiting page', () => {
  test('shows the owner’s two digits, reloads itself without scripts, and says when it is over', async () => {
    const waiting = await scene.ask(scene.request());
    const text = await (await waiting.browser.open(waiting.address)).text();
    expect(text).toMatch(/<noscript><meta http-equiv="refresh" content="\d+"\s*\/?><\/noscript>/);
    const [pending] = await scene.porchlight.call('signIns.list', {});
    expect(pending?.matchCode).toBe(waiting.matchCode);
    const over = waiting.browser.open(`${waiting.address}/state`);
    await scene.approve(waiting);
    expect(await jsonOf(await over)).toEqual({ state: 'over' });
  });
});
