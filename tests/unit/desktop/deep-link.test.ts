import { expect, test } from 'vitest';
import { placeOfArguments, placeOfLink } from '../../../src-main/desktop/addresses.ts';
import { screens } from '../../../src-main/contract/window.ts';
import { routeIn } from '../../../src-renderer/routes.ts';

test.each(screens)('a link opens the screen %s, as typed and as browsers rewrite it', (screen) => {
  for (const link of [`porchlight:${screen}`, `porchlight://${screen}`, `PORCHLIGHT://${screen}/`])
    expect(placeOfLink(link)).toBe(`#/${screen}`);
  expect(routeIn(`#/${screen}`).screen).toBe(screen);
});

test.each([
  'porchlight:',
  'porchlight://',
  'porchlight:nothing',
  'porchlight:sign-ins?id=1',
  'porchlight:sign-ins#x',
  'porchlight:sign-ins/approve',
  'porchlight:sign-ins\n--data',
  'porchlight:sign-ins --data /tmp',
  'porchlight:%73ign-ins',
  'porchlight:///sign-ins',
  ' porchlight:sign-ins',
  'porchlight:__proto__',
  'https://porchlight/sign-ins',
  '--data',
])('%j opens nothing', (link) => {
  expect(placeOfLink(link)).toBeUndefined();
});

test('the first link on a command line counts', () => {
  expect(placeOfArguments(['electron', '.', '--json', 'porchlight:x', 'porchlight:apps'])).toBe('#/apps');
  expect(placeOfArguments(['electron', '.'])).toBeUndefined();
});
