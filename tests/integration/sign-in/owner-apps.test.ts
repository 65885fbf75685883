import { expect, test } from 'vitest';
import { openSite, page } from '../../support/client-app.ts';
import { openBrowser } from '../../support/browser.ts';
import { startPorchlight } from '../../support/porchlight.ts';
import { answerOf, ask, redeem, signInRequest } from '../../support/sign-in.ts';

test('a revoked token is reported as a token, not as an app that was signed out', async () => {
  const porchlight = await startPorchlight();
  const { id } = await porchlight.call('apps.issueToken', { label: 'Backup script', scopes: ['create'] });
  await porchlight.call('apps.revoke', { id });
  const { items } = await porchlight.call('activity.list', {});
  expect(items.map(({ words }) => words)).toEqual([
    'You revoked the token Backup script.',
    'You created the token Backup script.',
  ]);
  await porchlight.remove();
});

test('apps are told apart by the device of the sign-in and by the owner’s name for them', async () => {
  const site = await openSite();
  site.pages.set('/', page('<div class="h-app"><a class="u-url p-name" href="/">Quill</a></div>'));
  const porchlight = await startPorchlight();
  const agents = [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
  ];
  for (const agent of agents) {
    const request = signInRequest(site.origin);
    const browser = openBrowser(porchlight.base, { 'user-agent': agent });
    const waiting = await ask(porchlight, request, browser);
    const [signIn] = await porchlight.call('signIns.list', {});
    expect(signIn?.device).toBe(agent === agents[0] ? 'Firefox on Windows' : 'Safari on iPhone');
    await porchlight.call('signIns.approve', { id: waiting.id, scopes: ['create'] });
    expect((await redeem(porchlight, request, (await answerOf(waiting)).searchParams)).status).toBe(200);
    // The entry is in the same commit as the sign-in, so no app has tokens without it.
    const { items } = await porchlight.call('activity.list', { limit: 1 });
    expect(items.map(({ words }) => words)).toEqual(['Quill signed in.']);
  }
  const apps = await porchlight.call('apps.list', {});
  expect(apps.map(({ clientName, name, device }) => [clientName, name, device]).toSorted()).toEqual([
    ['Quill', null, 'Firefox on Windows'],
    ['Quill', null, 'Safari on iPhone'],
  ]);

  const phone = apps.find(({ device }) => device === 'Safari on iPhone');
  const { id = '' } = phone ?? {};
  expect(await porchlight.call('apps.rename', { id, name: '  Quill on   my phone ' })).toEqual({
    ...phone,
    name: 'Quill on my phone',
  });
  await porchlight.stop();
  const again = await startPorchlight({ dataDir: porchlight.dataDir });
  expect((await again.call('apps.list', {})).find((app) => app.id === id)?.name).toBe('Quill on my phone');
  expect(await again.call('apps.rename', { id, name: '' })).toMatchObject({
    name: null,
    clientName: 'Quill',
  });
  const { items } = await again.call('activity.list', { area: 'sign-ins', limit: 2 });
  expect(items.map(({ words }) => words)).toEqual([
    'You renamed Quill on my phone to Quill.',
    'You renamed Quill to Quill on my phone.',
  ]);
  await expect(again.call('apps.rename', { id: 'nobody', name: 'x' })).rejects.toMatchObject({
    code: 'not_found',
  });
  await again.remove();
  await site.close();
});
