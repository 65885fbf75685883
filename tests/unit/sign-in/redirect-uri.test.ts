import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  goesToProgram,
  redirectAllowed,
  redirectTo,
  redirectUriFault,
  sameRedirect,
  type RegisteredRedirects,
} from '../../../src-main/sign-in/client-information.ts';

const clientId = 'https://app.example/';
const names: Readonly<Record<string, readonly string[]>> = {
  'app.example': ['93.184.216.34'],
  'here.example': ['93.184.216.34', '127.0.0.1'],
  'here-too.example': ['::1'],
};
const addressesOf = (host: string) => Promise.resolve(names[host] ?? []);
const nothingListed: RegisteredRedirects = { uris: [], exclusive: false };
const listed = (...uris: string[]): RegisteredRedirects => ({ uris, exclusive: false });
const document = (...uris: string[]): RegisteredRedirects => ({ uris, exclusive: true });

describe('the text of a redirect_uri', () => {
  test.each([
    'https://app.example/callback',
    'https://app.example/callback?with=query',
    'https://app.example',
    'http://127.0.0.1:3000/cb',
    'http://[::1]:3000/cb',
    'http://localhost:3000/cb',
    'app.example://callback',
    'com.example.app:/callback',
  ])('IA-54 %s has no fault', (text) => {
    expect(redirectUriFault(text)).toBeNull();
  });

  test.each([
    'http://app.example/cb',
    'http://192.168.1.5/cb',
    'HTTP://App.Example/cb',
    'http://127.0.0.1.example/',
  ])('IA-53 plain http is only for loopback: %s', (text) => {
    expect(redirectUriFault(text)).toContain('must use https');
  });

  test.each([
    'https:app.example/cb',
    'https:/app.example/cb',
    'https:///app.example/cb',
    'https:\\\\app.example\\cb',
    'https://app.example\\cb',
    'http:localhost:3000/cb',
  ])('IA-54 an address that could also be a path on this server is no redirect URI: %s', (text) => {
    expect(redirectUriFault(text)).toContain('not a plain web address');
  });

  test.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)//https://app.example/',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://app.example/uuid',
    'about:blank',
    'view-source:https://app.example/',
    'filesystem:https://app.example/temporary/x',
    'ws://app.example/',
    'ftp://app.example/',
  ])('IA-54 %s is never one', (text) => {
    expect(redirectUriFault(text)).toContain('cannot be');
  });

  test.each([
    ['https://app.example/cb#fragment', 'fragment'],
    ['https://app.example/cb#', 'fragment'],
    ['app.example://cb#x', 'fragment'],
    ['https://user:pass@app.example/cb', 'user name'],
    ['https://user@app.example/cb', 'user name'],
    ['https://app.example@evil.example/cb', 'user name'],
    ['/callback', 'not a URL'],
    ['app.example/callback', 'not a URL'],
    ['https://', 'not a URL'],
    [' https://app.example/cb', 'not a URL'],
    ['java\nscript:alert(1)', 'not a URL'],
    ['https://app.example/cb\r\nset-cookie: a=b', 'not a URL'],
    ['https://app.example/\u202Ebc', 'not a URL'],
  ])('IA-54 %j is refused: %s', (text, word) => {
    expect(redirectUriFault(text)).toContain(word);
  });
});

describe('the address of a response', () => {
  test.each([
    ['the same origin', 'https://app.example/callback'],
    ['the same origin with its port spelled out', 'https://app.example:443/callback'],
    ['the same origin in capitals', 'https://APP.example/callback'],
  ])('IA-50 %s needs no list', (_, uri) => {
    expect(redirectAllowed(uri, clientId, nothingListed)).toBe(true);
  });

  test.each([
    ['another scheme', 'app.example://callback'],
    ['http instead of https', 'http://app.example/callback'],
    ['another host', 'https://other.example/callback'],
    ['a host below', 'https://sub.app.example/callback'],
    ['a host that begins the same', 'https://app.example.evil.example/callback'],
    ['another port', 'https://app.example:8443/callback'],
    ['another port of loopback', 'http://127.0.0.1:4000/'],
  ])('IA-50 %s must be listed', (_, uri) => {
    expect(redirectAllowed(uri, clientId, nothingListed)).toBe(false);
    expect(redirectAllowed(uri, clientId, listed(uri))).toBe(true);
  });

  test('IA-50 two schemes of one’s own are not one origin', () => {
    expect(redirectAllowed('app.example://cb', 'app.example://client', nothingListed)).toBe(false);
  });

  test.each([
    ['longer', 'https://other.example/callback/more'],
    ['shorter', 'https://other.example/call'],
    ['with a query', 'https://other.example/callback?a=b'],
    ['with a slash', 'https://other.example/callback/'],
    ['in another case', 'https://other.example/Callback'],
    ['under a wildcard’s name', 'https://x.other.example/callback'],
  ])('IA-52 a listed URI must match exactly, not %s', (_, uri) => {
    expect(redirectAllowed(uri, clientId, listed('https://other.example/callback'))).toBe(false);
  });

  test('IA-52 an asterisk in a list is an asterisk', () => {
    expect(redirectAllowed('https://x.other.example/', clientId, listed('https://*.other.example/'))).toBe(
      false,
    );
    expect(redirectAllowed('https://other.example/a', clientId, listed('https://other.example/*'))).toBe(
      false,
    );
  });

  test.each([
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51234/cb'],
    ['http://127.0.0.1:80/cb', 'http://127.0.0.1:51234/cb'],
    ['http://127.0.0.1:9999/cb?x=y', 'http://127.0.0.1:51234/cb?x=y'],
    ['http://[::1]/cb', 'http://[::1]:51234/cb'],
    ['http://localhost:3000/cb', 'http://localhost:51234/cb'],
  ])('IA-52 of a listed loopback redirect %s the port is free', (uri, asked) => {
    expect(redirectAllowed(asked, clientId, document(uri))).toBe(true);
    expect(redirectAllowed(asked, clientId, listed(uri))).toBe(true);
  });

  test.each([
    ['another path', 'http://127.0.0.1:51234/other'],
    ['another query', 'http://127.0.0.1:51234/cb?a=b'],
    ['another name of loopback', 'http://localhost:51234/cb'],
    ['another host', 'http://127.0.0.1.evil.example:51234/cb'],
    ['another scheme', 'https://127.0.0.1:51234/cb'],
  ])('IA-52 but nothing else is: %s', (_, asked) => {
    expect(redirectAllowed(asked, clientId, document('http://127.0.0.1/cb'))).toBe(false);
  });

  test('IA-52 the port of a listed redirect elsewhere is not free', () => {
    expect(
      redirectAllowed('https://other.example:8443/cb', clientId, document('https://other.example/cb')),
    ).toBe(false);
  });

  test('IA-52 a list item that isn’t a URL matches nothing', () => {
    expect(redirectAllowed('http://127.0.0.1:1/cb', clientId, listed('', 'nonsense', '/cb'))).toBe(false);
  });

  test('D-11 the list of a JSON document is the whole list, the own origin is not in it by itself', () => {
    const uris = document('https://app.example/callback');
    expect(redirectAllowed('https://app.example/callback', clientId, uris)).toBe(true);
    expect(redirectAllowed('https://app.example/other', clientId, uris)).toBe(false);
    expect(redirectAllowed('https://app.example/callback', clientId, document())).toBe(false);
  });

  test('D-11 the list of a page adds to the own origin', () => {
    expect(redirectAllowed('https://app.example/any', clientId, listed('https://other.example/cb'))).toBe(
      true,
    );
  });
});

describe('the way back', () => {
  test.each([
    ['https://app.example/cb', 'https://app.example/cb?code=c'],
    ['https://app.example/cb?a=b', 'https://app.example/cb?a=b&code=c'],
    ['https://app.example/cb?', 'https://app.example/cb?code=c'],
    ['https://app.example/cb?a=b&', 'https://app.example/cb?a=b&code=c'],
    ['https://app.example/cb?u=a?b', 'https://app.example/cb?u=a?b&code=c'],
    ['https://app.example/cb?enc=%2B+%20', 'https://app.example/cb?enc=%2B+%20&code=c'],
    ['https://app.example', 'https://app.example?code=c'],
    ['app.example://cb', 'app.example://cb?code=c'],
    ['https://app.example/größe?emoji=🏡', 'https://app.example/gr%C3%B6%C3%9Fe?emoji=%F0%9F%8F%A1&code=c'],
  ])('IA-55 the query of %s is kept', (uri, back) => {
    expect(redirectTo(uri, { code: 'c', state: undefined })).toBe(back);
  });

  test('IA-55 a parameter of the same name in the query is kept too, ours comes after', () => {
    const url = new URL(redirectTo('https://app.example/cb?state=own', { code: 'c', state: 's' }));
    expect(url.searchParams.getAll('state')).toEqual(['own', 's']);
  });

  test('IA-55 any state arrives unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (state) => {
        const back = redirectTo('https://app.example/cb?a=b', {
          code: 'c',
          state,
          iss: 'https://as.example/',
        });
        expect(back).toMatch(/^[\x21-\x7e]+$/);
        expect(new URL(back).searchParams.get('state')).toBe(state);
      }),
    );
  });

  test('IA-37 normalization is for comparing', () => {
    expect(sameRedirect('https://App.example', 'https://app.example/')).toBe(true);
    expect(sameRedirect('https://app.example/a', 'https://app.example/b')).toBe(false);
    expect(redirectTo('https://App.example', { code: 'c' })).toBe('https://App.example?code=c');
  });
});

describe('a response may go to a program on the computer where the browser runs', () => {
  test.each([
    'http://127.0.0.1/cb',
    'http://127.0.0.1:51234/cb',
    'http://[::1]:51234/cb',
    'http://localhost:8080/',
    'HTTP://LocalHost:8080/',
    'https://127.0.0.1:51234/cb',
    'https://127.1.2.3/cb',
    'https://localhost/cb',
    'https://app.localhost./cb',
    'https://[::ffff:127.0.0.1]/cb',
    'https://[::]/cb',
    'https://[::ffff:0.0.0.0]/cb',
    'https://[64:ff9b::127.0.0.1]/cb',
    'https://0.0.0.0/cb',
    'https://127.1/cb',
    'https://localhost./cb',
    'https://here.example/cb',
    'https://here-too.example./cb',
    'app.example://callback',
    'com.example.app:/callback',
  ])('with %s', async (uri) => {
    expect(redirectUriFault(uri)).toBeNull();
    expect(await goesToProgram(uri, addressesOf)).toBe(true);
  });

  test.each([
    'https://app.example/callback',
    'https://localhost.example/',
    'https://127.0.0.1.example/',
    'https://app.example/http://127.0.0.1/',
    'https://192.168.1.5/cb',
  ])('and not with %s', async (uri) => {
    expect(redirectUriFault(uri)).toBeNull();
    expect(await goesToProgram(uri, addressesOf)).toBe(false);
  });
});
