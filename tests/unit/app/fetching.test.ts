import { expect, test } from 'vitest';
import { isOwnersOrigin } from '../../../src-main/app/foundation.ts';
import { noFolder } from '../../support/window-folder-handlers.ts';

test('only the public address, the profile and the site of the folder count as the owner’s', () => {
  const settings = {
    profile: { me: 'https://me.example/', url: '', name: '', photo: '', email: '' },
    siteFolder: { ...noFolder, on: true, baseUrl: 'https://notes.me.example/blog/' },
  };
  const isOwn = (origin: string, base: string | null = 'https://porch.me.example') =>
    isOwnersOrigin(origin, base, settings);
  for (const origin of ['https://porch.me.example', 'https://me.example', 'https://notes.me.example'])
    expect(isOwn(origin), origin).toBe(true);
  for (const origin of [
    'http://notes.me.example',
    'https://notes.me.example:8443',
    'https://router.me.example',
  ])
    expect(isOwn(origin), origin).toBe(false);
  expect(isOwn('https://porch.me.example', null)).toBe(false);
  // While publishing to the folder is off, nothing has to be read there.
  const off = { ...settings, siteFolder: { ...settings.siteFolder, on: false } };
  expect(isOwnersOrigin('https://notes.me.example', null, off)).toBe(false);
  // Without a folder, no address is exempt.
  expect(isOwnersOrigin('null', null, { ...settings, siteFolder: noFolder })).toBe(false);
});
