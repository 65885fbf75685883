import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  externalAddress,
  mentionsPlace,
  pageAddress,
  signInPlace,
} from '../../../src-main/desktop/addresses.ts';

describe('addresses that leave the window', () => {
  test.each(['https://example.com/a?b#c', 'http://example.com/', 'mailto:me@example.com'])(
    '%s goes to the system',
    (address) => {
      expect(externalAddress(address)).toBe(address);
    },
  );

  test.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'app://porchlight/index.html',
    'smb://host/share',
    'ms-msdt:/id',
    'vbscript:x',
    'ftp://example.com/',
    ' \u0000file:///x',
    'HtTpX://example.com',
    '//example.com/',
    'example.com',
    '',
  ])('%j stays here', (address) => {
    expect(externalAddress(address)).toBeUndefined();
  });

  test('a name before the host, which makes one site look like another, stays here', () => {
    expect(externalAddress('https://bank.example@evil.example/')).toBeUndefined();
    expect(externalAddress('https://:secret@evil.example/')).toBeUndefined();
  });

  test('an address without end stays here', () => {
    expect(externalAddress(`https://example.com/${'a'.repeat(5000)}`)).toBeUndefined();
  });

  test('only https, http and mailto addresses without control characters leave the window', () => {
    const anything = fc.oneof(
      fc.webUrl(),
      fc.string(),
      fc.tuple(fc.constantFrom('https:', 'file:', 'javascript:', 'mailto:', ' http:'), fc.string()),
    );
    fc.assert(
      fc.property(anything, (given) => {
        const address = externalAddress(typeof given === 'string' ? given : given.join('//'));
        return address === undefined || /^(https?|mailto):\P{Cc}*$/u.test(address);
      }),
    );
  });
});

test('a sign-in has a place in the window, whatever its id holds', () => {
  expect(pageAddress(signInPlace('a b&c'))).toBe('app://porchlight/index.html#/sign-ins?id=a%20b%26c');
});

describe('the screen that a notification of mentions opens', () => {
  test('is the mention itself if there is one', () => {
    expect(mentionsPlace([{ id: 'a&b', status: 'held' }])).toBe('#/webmentions?id=a%26b');
  });

  test('is the list with all of them if there are more', () => {
    const [held, shown] = [
      { id: 'a', status: 'held' },
      { id: 'b', status: 'approved' },
    ];
    expect(mentionsPlace([held, held])).toBe('#/webmentions?status=held');
    expect(mentionsPlace([held, shown])).toBe('#/webmentions');
  });
});
