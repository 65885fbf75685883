import { describe, expect, test } from 'vitest';
import { responseKinds } from '../../../src-main/contract/post-kinds.ts';
import { screens } from '../../../src-main/contract/window.ts';
import { placeOfArguments, placeOfLink } from '../../../src-main/desktop/addresses.ts';
import { routeIn } from '../../../src-renderer/routes.ts';

test.each(screens)('a link opens the screen %s, as typed and as browsers rewrite it', (screen) => {
  for (const link of [`porchlight:${screen}`, `porchlight://${screen}`, `PORCHLIGHT://${screen}/`])
    expect(placeOfLink(link)).toBe(`#/${screen}`);
  expect(routeIn(`#/${screen}`).screen).toBe(screen);
});

test('a link with the former name of the first screen still opens it', () => {
  expect(placeOfLink('porchlight:porch')).toBe('#/overview');
});

test.each([
  'porchlight:',
  'porchlight://',
  'porchlight:nothing',
  'porchlight:sign-ins?id=1',
  'porchlight:settings?reply=https%3A%2F%2Fa.example%2F',
  'porchlight:sign-ins#x',
  'porchlight:sign-ins/approve',
  'porchlight:sign-ins\n--data',
  'porchlight:sign-ins --data /tmp',
  'porchlight:write?reply=https://a.example/ --data /tmp',
  'porchlight:write/publish?reply=https%3A%2F%2Fa.example%2F',
  'porchlight:write?reply=https%3A%2F%2Fa.example%2F#/settings',
  'porchlight:%73ign-ins',
  'porchlight:///sign-ins',
  ' porchlight:sign-ins',
  'porchlight:__proto__',
  'https://porchlight/sign-ins',
  '--data',
])('%j opens nothing', (link) => {
  expect(placeOfLink(link)).toBeUndefined();
});

describe('a link to the editor', () => {
  const page = 'https://a.example/notes?id=1&more=2#part';

  test.each(responseKinds.map(({ kind }) => kind))('fills in the page for a %s, and nothing else', (verb) => {
    for (const start of ['porchlight:write', 'porchlight://write', 'PORCHLIGHT://Write/']) {
      const place = placeOfLink(`${start}?${verb}=${encodeURIComponent(page)}`) ?? '';
      expect(routeIn(place)).toEqual({ screen: 'write', id: null, filters: { [verb]: page } });
    }
  });

  test('takes an address of 2,000 characters, and none that is longer', () => {
    const address = `https://a.example/${'x'.repeat(2000)}`;
    const link = (length: number) => `porchlight:write?like=${encodeURIComponent(address.slice(0, length))}`;
    expect(placeOfLink(link(2000))).toBe(`#/write?like=${encodeURIComponent(address.slice(0, 2000))}`);
    expect(placeOfLink(link(2001))).toBe('#/write');
  });

  test.each([
    '',
    'reply=',
    'reply=a.example',
    'reply=javascript%3Aalert(1)',
    'reply=file%3A%2F%2F%2Fetc%2Fpasswd',
    'reply=porchlight%3Asign-ins',
    'reply=https%3A%2F%2Fme%3Asecret%40a.example%2F',
    'reply=https%3A%2F%2Fa.example%2F%0A',
    'reply=https%3A%2F%2Fa.example%2F&text=Hello',
    'reply=https%3A%2F%2Fa.example%2F&like=https%3A%2F%2Fa.example%2F',
    'text=Hello',
    'note=https%3A%2F%2Fa.example%2F',
    'kind=reply',
    'post=https%3A%2F%2Fa.example%2F',
    'page=new',
    '__proto__=https%3A%2F%2Fa.example%2F',
    'REPLY=https%3A%2F%2Fa.example%2F',
  ])('with anything else shows the screen only: %j', (query) => {
    expect(placeOfLink(`porchlight:write?${query}`)).toBe('#/write');
  });

  test('names an address as browsers write it', () => {
    expect(placeOfLink('porchlight:write?reply=HTTPS%3A%2F%2FB%C3%BCcher.example%2Fä')).toBe(
      `#/write?reply=${encodeURIComponent('https://xn--bcher-kva.example/%C3%A4')}`,
    );
  });
});

test('the first link on a command line counts', () => {
  expect(placeOfArguments(['electron', '.', '--json', 'porchlight:x', 'porchlight:apps'])).toBe('#/apps');
  expect(placeOfArguments(['electron', '.'])).toBeUndefined();
});
