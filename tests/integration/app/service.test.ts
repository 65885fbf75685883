import { join } from 'node:path';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Check } from 'typebox/value';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { contract, events } from '../../../src-main/contract/contract.ts';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { openSite, page } from '../../support/client-app.ts';
import { startPorchlight } from '../../support/porchlight.ts';
import { ask, post, redeem, signIn, signInRequest, tokensFor } from '../../support/sign-in.ts';
import { patience } from '../../support/patience.ts';

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe('the service as a whole', () => {
  test('turning the server off closes everything to the public, turning it on opens the same port', async () => {
    const porchlight = await startPorchlight();
    expect((await fetch(porchlight.base)).status).toBe(200);
    expect(await porchlight.call('server.turnOff', {})).toMatchObject({
      server: 'off',
      words: 'Off',
      port: null,
    });
    expect((await fetch(porchlight.base)).status).toBe(503);
    expect(await porchlight.call('server.turnOn', {})).toMatchObject({
      server: 'on',
      baseUrl: porchlight.base,
    });
    expect((await fetch(porchlight.base)).status).toBe(200);
    await porchlight.remove();
  });

  test('a port that is in use is reported with a message, and the owner can still call', async () => {
    const first = await startPorchlight();
    const port = Number(new URL(first.base).port);
    const second = await startPorchlight({ port });
    const status = await second.call('status.get', {});
    expect(status).toMatchObject({ server: 'trouble', port: null });
    expect(status.words).toContain(`Port ${port} is taken by `);
    await second.remove();
    await first.remove();
  });

  test('one process a data folder', async () => {
    const first = await startPorchlight();
    await expect(startPorchlight({ dataDir: first.dataDir })).rejects.toMatchObject({
      code: 'folder_in_use',
    });
    await first.remove();
  });

  test('a restart keeps tokens, settings and history, and drops what waited', async () => {
    const app = await openSite();
    app.pages.set('/', page('<title>App</title>'));
    const first = await startPorchlight();
    const request = signInRequest(app.origin);
    const tokens = await tokensFor(first, request);
    await first.call('settings.update', {
      profile: { name: 'The Owner' },
      signIn: { accessTokenSeconds: 60 },
    });
    const waiting = await ask(first, signInRequest(app.origin));
    const unredeemed = signInRequest(app.origin);
    const answer = await signIn(first, unredeemed);
    await first.stop();

    const second = await startPorchlight({ dataDir: first.dataDir, me: undefined });
    expect((await fetch(`${second.base}/userinfo`, bearer(tokens.access_token))).status).toBe(200);
    expect(await second.call('settings.get', {})).toMatchObject({
      profile: { me: 'https://owner.example/', name: 'The Owner' },
      signIn: { accessTokenSeconds: 60, allowWithoutPkce: false },
    });
    expect(await second.call('apps.list', {})).toHaveLength(1);
    expect((await second.call('signIns.history', {})).map(({ outcome }) => outcome)).toContain('approved');
    expect(await second.call('signIns.list', {})).toEqual([]);
    await expect(second.call('signIns.approve', { id: waiting.id, scopes: [] })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect((await redeem(second, unredeemed, answer)).status).toBe(400);
    await second.remove();
    await app.close();
  });

  test('an app that is said to send Markdown is known by its client_id, and its queries change at once', async () => {
    const app = await openSite();
    app.pages.set('/', page('<title>App</title>'));
    const porchlight = await startPorchlight();
    const tokens = await tokensFor(porchlight, signInRequest(app.origin, { scope: 'create update' }));
    const { headers } = bearer(tokens.access_token);
    const contentsOf = async () => {
      const list = await fetch(`${porchlight.base}/micropub?q=source`, { headers });
      const { items } = (await list.json()) as { items: { properties: { content: unknown[] } }[] };
      return items.map(({ properties }) => properties.content[0]);
    };
    const send = () => post(porchlight, '/micropub', { h: 'entry', content: 'A *lamp*' }, headers);
    expect((await send()).status).toBe(201);
    const [listed] = await porchlight.call('apps.list', {});
    await porchlight.call('settings.update', { posting: { appsMarkdown: [listed?.clientId ?? ''] } });
    const made = await send();
    expect(made.status).toBe(201);
    expect(await contentsOf()).toEqual(['A *lamp*', 'A *lamp*']);
    const shown = await (await fetch(made.headers.get('location') ?? '')).text();
    expect(shown).toContain('<p>A <em>lamp</em></p>');
    await porchlight.call('settings.update', { posting: { appsMarkdown: [] } });
    expect(await contentsOf()).toEqual([{ html: '<p>A <em>lamp</em></p>' }, 'A *lamp*']);
    await porchlight.remove();
    await app.close();
  });

  test('NM09 a token made by hand is said to send Markdown by its id, and no other token is', async () => {
    const porchlight = await startPorchlight();
    const issue = () => porchlight.call('apps.issueToken', { label: 'By hand', scopes: ['create'] });
    const [chosen, other] = [await issue(), await issue()];
    await porchlight.call('settings.update', { posting: { appsMarkdown: [chosen.id] } });
    const pageOf = async (token: string) => {
      const body = { h: 'entry', content: '![a door](https://a.example/p.png)' };
      const made = await post(porchlight, '/micropub', body, bearer(token).headers);
      return (await fetch(made.headers.get('location') ?? '')).text();
    };
    // The picture is on its way.
    expect(await pageOf(chosen.token)).toContain('<a href="https://a.example/p.png" dir="auto">a door</a>');
    expect(await pageOf(other.token)).toContain('![a door](');
    await porchlight.remove();
  });

  test('only the owner can read the files, and only the file of secrets contains a token', async () => {
    const app = await openSite();
    app.pages.set('/', page('<title>App</title>'));
    const porchlight = await startPorchlight();
    const tokens = await tokensFor(porchlight, signInRequest(app.origin));
    const made = await porchlight.call('apps.issueToken', { label: 'By hand', scopes: ['create'] });
    const { token } = await porchlight.call('secrets.managementToken', {});
    await porchlight.stop();

    const entries = await readdir(porchlight.dataDir, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['records.sqlite', 'secrets.json']));
    for (const { parentPath, name } of files) {
      const file = path.join(parentPath, name);
      if (process.platform !== 'win32') expect((await stat(file)).mode & 0o077, name).toBe(0);
      const text = await readFile(file, 'utf8');
      for (const secret of [tokens.access_token, tokens.refresh_token, made.token])
        expect(text, name).not.toContain(secret);
      if (name !== 'secrets.json') expect(text, name).not.toContain(token);
    }
    await porchlight.remove();
    await app.close();
  });

  test('a broken file is set aside, its previous version takes its place, and the owner is notified', async () => {
    const first = await startPorchlight();
    await first.call('settings.update', { profile: { name: 'One' } });
    await first.call('settings.update', { profile: { name: 'Two' } });
    await first.stop();
    await writeFile(path.join(first.dataDir, 'profile.json'), '{"format":1,"na');
    const second = await startPorchlight({ dataDir: first.dataDir, me: undefined });
    const { problems, me } = await second.call('status.get', {});
    expect(problems).toMatchObject([
      { code: 'storage_recovered', message: expect.stringContaining('profile.json') as string },
    ]);
    expect(me).toBe('https://owner.example/');
    await second.remove();
  });

  test('a data folder of a newer version is refused and left unchanged', async () => {
    const first = await startPorchlight();
    await first.stop();
    const file = path.join(first.dataDir, 'profile.json');
    await writeFile(file, '{"format":99}');
    await expect(startPorchlight({ dataDir: first.dataDir })).rejects.toMatchObject({
      code: 'storage_newer',
    });
    expect(await readFile(file, 'utf8')).toBe('{"format":99}');
  });

  test('every answer and every event is of the shape that the contract promises', async () => {
    const app = await openSite();
    app.pages.set('/', page('<title>App</title>'));
    const porchlight = await startPorchlight();
    await tokensFor(porchlight, signInRequest(app.origin));
    await ask(porchlight, signInRequest(app.origin));
    const { id, token } = await porchlight.call('apps.issueToken', {
      label: 'Old client',
      scopes: ['create'],
      expiresIn: 60,
    });
    await post(
      porchlight,
      '/micropub',
      { h: 'entry', content: 'Hello' },
      { authorization: `Bearer ${token}` },
    );
    const file = await porchlight.call('media.upload', { name: 'a.txt', data: 'aGVsbG8=' });
    expect(Check(contract['media.upload'].result, file)).toBe(true);
    for (const method of ['media.get', 'media.thumbnail', 'media.delete'] as const) {
      expect(Check(contract[method].result, await porchlight.call(method, { url: file.url })), method).toBe(
        true,
      );
    }
    const note = await porchlight.call('posts.create', {
      content: 'By the owner',
      photos: [],
      categories: [],
      visibility: 'public',
      status: 'published',
    });
    expect(Check(contract['posts.create'].result, note)).toBe(true);
    for (const method of ['posts.get', 'posts.delete', 'posts.undelete'] as const) {
      expect(Check(contract[method].result, await porchlight.call(method, { url: note.url })), method).toBe(
        true,
      );
    }
    const linking = await porchlight.call('posts.create', {
      content: `See ${app.origin}/`,
      photos: [],
      categories: [],
      visibility: 'public',
      status: 'published',
    });
    const query = { source: linking.url };
    await vi.waitUntil(
      async () => (await porchlight.call('webmentions.deliveries', query))[0]?.state === 'no-endpoint',
      patience,
    );
    const deliveries = await porchlight.call('webmentions.deliveries', query);
    expect(Check(contract['webmentions.deliveries'].result, deliveries)).toBe(true);
    expect(await porchlight.call('webmentions.failedDeliveries', {})).toEqual([]);
    const again = await porchlight.call('webmentions.retryDelivery', { ...query, target: `${app.origin}/` });
    expect(Check(contract['webmentions.retryDelivery'].result, again)).toBe(true);
    const mentioned = `${porchlight.base}${note.path}`;
    const source = `${app.origin}/reply`;
    app.pages.set(
      '/reply',
      page(`<p class="h-entry"><a class="u-like-of" href="${mentioned}">liked</a></p>`),
    );
    await post(porchlight, '/webmention', { source, target: mentioned });
    expect(await porchlight.call('webmentions.process', {})).toMatchObject({ failed: 0, waiting: 0 });
    const { items } = await porchlight.call('webmentions.list', {});
    expect(items).toMatchObject([{ source, type: 'like', status: 'approved' }]);
    const mention = { id: items[0]?.id ?? '' };
    const hidden = await porchlight.call('webmentions.setStatus', { ...mention, status: 'hidden' });
    expect(Check(contract['webmentions.setStatus'].result, hidden)).toBe(true);
    const read = await porchlight.call('webmentions.get', mention);
    expect(Check(contract['webmentions.get'].result, read)).toBe(true);
    expect(read).toMatchObject({ mention: { source }, snapshot: { text: 'liked' } });
    const exported = await porchlight.call('webmentions.exportTo', {
      path: `${porchlight.dataDir}-export.jf2`,
    });
    onTestFinished(() => rm(exported.path));
    expect(Check(contract['webmentions.exportTo'].result, exported)).toBe(true);
    for (const method of ['webmentions.delete', 'webmentions.restore'] as const)
      expect(Check(contract[method].result, await porchlight.call(method, mention)), method).toBe(true);
    for (const method of ['webmentions.blockDomain', 'webmentions.unblockDomain'] as const)
      expect(
        Check(contract[method].result, await porchlight.call(method, { domain: 'spam.example' })),
        method,
      ).toBe(true);
    await porchlight.call('settings.update', { webmention: { aggregatorUrl: app.origin } });
    await expect(
      porchlight.call('webmentions.import', { aggregatorToken: 'refused' }),
    ).rejects.toBeInstanceOf(PorchlightError);
    for (const method of [
      'status.get',
      'signIns.list',
      'signIns.history',
      'phones.list',
      'secrets.hasNtfy',
      'apps.list',
      'settings.get',
      'secrets.managementToken',
      'secrets.hasTunnelToken',
      'setup.linkTags',
      'setup.check',
      'setup.lastCheck',
      'tunnel.status',
      'activity.list',
      'support.file',
      'posts.list',
      'media.list',
      'webmentions.list',
      'webmentions.pages',
      'webmentions.counts',
      'webmentions.importState',
      'webmentions.blockedDomains',
      'webmentions.blockedPeople',
      'webmentions.exportPlace',
      'data.folder',
    ] as const) {
      expect(Check(contract[method].result, await porchlight.call(method, {})), method).toBe(true);
    }
    expect(
      Check(contract['server.usePort'].result, await porchlight.call('server.usePort', { port: 0 })),
    ).toBe(true);
    const backup = await porchlight.call('data.backup', { path: `${porchlight.dataDir}.zip` });
    await rm(`${porchlight.dataDir}.zip`);
    expect(Check(contract['data.backup'].result, backup)).toBe(true);
    // Without a token it only says what it lacks.
    await porchlight.call('settings.update', { tunnel: { mode: 'named', hostname: 'porch.example' } });
    for (const method of ['tunnel.start', 'tunnel.stop'] as const)
      expect(Check(contract[method].result, await porchlight.call(method, {})), method).toBe(true);
    await porchlight.call('apps.revoke', { id });
    // Without its token no tunnel is begun, which is told like all that becomes of one.
    await porchlight.call('settings.update', { tunnel: { mode: 'named', hostname: 'porch.example' } });
    for (const method of ['tunnel.start', 'tunnel.stop'] as const)
      expect(Check(contract[method].result, await porchlight.call(method, {})), method).toBe(true);
    const archive = join(import.meta.dirname, '../../fixtures/import/markdown');
    const imported = await porchlight.call('posts.import', { path: archive, format: 'auto' });
    expect(Check(contract['posts.import'].result, imported)).toBe(true);
    await porchlight.call('settings.update', { siteFolder: { media: 'porch' } });
    for (const method of [
      'siteFolder.status',
      'siteFolder.adopted',
      'siteFolder.retry',
      'siteFolder.snippet',
    ] as const)
      expect(Check(contract[method].result, await porchlight.call(method, {})), method).toBe(true);
    for (const method of [
      'cloudflare.status',
      'cloudflare.disconnect',
      'mailbox.status',
      'mailbox.retry',
    ] as const)
      expect(Check(contract[method].result, await porchlight.call(method, {})), method).toBe(true);
    const names = new Set(porchlight.events.map(({ name }) => name));
    // Sent only with a setup at Cloudflare: see owner/cloudflare*.test.ts and the unit tests of the mailbox.
    names.add('cloudflare.progress').add('mailbox.arrived');
    // Sent only at an address that phones can use: see phones/pairing.test.ts.
    names.add('phones.changed');
    expect([...names].sort()).toEqual(Object.keys(events).sort());
    for (const { name, data } of porchlight.events) expect(Check(events[name], data), name).toBe(true);
    await porchlight.remove();
    await app.close();
  });

  test('a token made by hand works until it is revoked, and never has a refresh token', async () => {
    const porchlight = await startPorchlight();
    const { id, token, scope } = await porchlight.call('apps.issueToken', {
      label: 'Old client',
      scopes: ['create', 'profile'],
    });
    expect(scope).toBe('create profile');
    expect((await fetch(`${porchlight.base}/token`, bearer(token))).status).toBe(200);
    expect(await porchlight.call('apps.list', {})).toMatchObject([
      { id, kind: 'manual', clientName: 'Old client', expiresAt: null },
    ]);
    await porchlight.call('apps.revoke', { id });
    expect((await fetch(`${porchlight.base}/token`, bearer(token))).status).toBe(401);
    expect(await porchlight.call('apps.list', {})).toEqual([]);
    await porchlight.remove();
  });

  test('the management token can be changed, and the old one is forgotten', async () => {
    const porchlight = await startPorchlight();
    const { token } = await porchlight.call('secrets.managementToken', {});
    const { token: fresh } = await porchlight.call('secrets.rotateManagementToken', {});
    expect(fresh).not.toBe(token);
    expect(await readFile(path.join(porchlight.dataDir, 'secrets.json'), 'utf8')).not.toContain(token);
    await porchlight.remove();
  });

  test('the owner’s page is read for the profile, and checked for the links', async () => {
    const site = await openSite('localhost');
    const me = `${site.origin}/`;
    site.pages.set(
      '/',
      page(
        `<div class="h-card"><a class="u-url u-uid p-name" href="/">Ada</a><img class="u-photo" src="/ada.png"><a class="u-email" href="mailto:ada@example.org">mail</a></div>`,
      ),
    );
    const porchlight = await startPorchlight({ me });
    expect(await porchlight.call('profile.read', { url: me })).toEqual({
      me,
      name: 'Ada',
      url: me,
      photo: `${me}ada.png`,
      email: 'ada@example.org',
    });
    const before = await porchlight.call('setup.check', { only: 'site' });
    expect(before.findings.filter(({ level }) => level === 'fail').map(({ id }) => id)).toEqual([
      'link.indieauth-metadata',
      'link.authorization_endpoint',
      'link.token_endpoint',
      'link.micropub',
      'link.webmention',
    ]);
    const { html } = await porchlight.call('setup.linkTags', {});
    site.pages.set('/', page(`<head>${html}</head>`));
    const after = await porchlight.call('setup.check', { only: 'site' });
    expect(after.findings.every(({ level }) => level === 'pass')).toBe(true);
    site.pages.set(
      '/',
      page(`<head><link rel="token_endpoint" href="https://other.example/token">${html}</head>`),
    );
    const wrongOrder = await porchlight.call('setup.check', { only: 'site' });
    expect(wrongOrder.findings.filter(({ level }) => level === 'fail')).toMatchObject([
      { id: 'link.token_endpoint', fix: expect.stringContaining('Remove') as string },
    ]);
    await porchlight.remove();
    await site.close();
  });
});
