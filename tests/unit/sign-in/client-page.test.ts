import { describe, expect, test } from 'vitest';
import { clientFromHtml } from '../../../src-main/sign-in/read-pages.ts';

const id = 'https://app.example/client';

interface From {
  readonly linkHeader?: string;
  readonly clientId?: string;
  readonly url?: string;
}

/** The client that a page describes. */
function fromPage(text: string, { linkHeader, clientId = id, url = clientId }: From = {}) {
  return clientFromHtml(clientId, { url, linkHeader: linkHeader ?? null, text });
}

describe('a page', () => {
  test('IA-48 its h-app tells name, logo and redirects', () => {
    const text = `<title>Other</title><div class="h-app"><a class="u-url p-name" href="/client">Quill</a>
      <img class="u-logo" src="logo.png" alt="A quill"><a class="u-redirect-uri" href="app.example://cb"></a></div>`;
    expect(fromPage(text)).toEqual({
      id,
      name: 'Quill',
      logoUri: 'https://app.example/logo.png',
      redirects: { uris: ['app.example://cb'], exclusive: false },
      warnings: [],
    });
  });

  test('IA-48 the address of an image without alt text is no part of the name', () => {
    const text = '<a class="h-app u-url p-name" href="/client"><img src="/i.png" alt=""> Quill</a>';
    expect(fromPage(`<div class="h-app">${text.replace('h-app ', '')}</div>`).name).toBe('Quill');
    expect(fromPage(text)).toMatchObject({ name: 'Quill', logoUri: 'https://app.example/i.png' });
  });

  test('IA-48 an h-x-app counts too', () => {
    expect(fromPage('<div class="h-x-app"><a class="u-url" href="/client">Quill</a></div>').name).toBe(
      'Quill',
    );
  });

  test('IA-48 the first h-app whose url is the client counts, not the first', () => {
    const text = `<div class="h-app"><a class="u-url p-name" href="/other">Other</a></div>
      <div class="h-app"><a class="u-url p-name" href="/client">Mine</a></div>
      <div class="h-app"><a class="u-url p-name" href="/client">Too late</a></div>`;
    expect(fromPage(text).name).toBe('Mine');
  });

  test('IA-48 IA-35 its url is compared as URLs are', () => {
    const text = '<div class="h-app"><a class="u-url p-name" href="https://APP.example">Mine</a></div>';
    expect(fromPage(text, { clientId: 'https://app.example/' }).name).toBe('Mine');
  });

  test('IA-48 somebody else’s h-app on the page is not the client', () => {
    const text = `<title>My site</title><div class="h-app"><a class="u-url p-name" href="https://other.example/">Other</a>
      <a class="u-redirect-uri" href="https://other.example/cb">x</a></div>`;
    expect(fromPage(text)).toMatchObject({ name: 'My site', redirects: { uris: [] } });
  });

  test('IA-48 an h-app without a url is the client', () => {
    expect(fromPage('<p class="h-app"><span class="p-name">Quill</span></p>').name).toBe('Quill');
  });

  test('IA-48 without an h-app the title and the icon count', () => {
    const text = '<title>\n My  App </title><link rel="shortcut icon" href="/icon.svg"><p>Hello';
    expect(fromPage(text)).toMatchObject({ name: 'My App', logoUri: 'https://app.example/icon.svg' });
  });

  test.each([
    ['empty', ''],
    ['white', ' \n'],
    ['plain text', 'Hello'],
    ['a head only', '<meta charset="utf-8">'],
    ['no HTML at all', '\u0000\u0001\uFFFD{"a":1}'],
    ['a frameset', '<frameset><frame src="a"></frameset>'],
  ])('IA-48 a page that is %s leaves the host as name', (_, text) => {
    expect(fromPage(text)).toMatchObject({ name: 'app.example', logoUri: null });
  });

  test('IA-51 a link element lists a redirect, relative ones are resolved', () => {
    const text = `<link rel="redirect_uri" href="../callback?a=b"><link rel="redirect_uri" href="https://other.example/cb">
      <link rel="redirect_uri" href="app.example://cb">`;
    expect(fromPage(text, { clientId: 'https://app.example/apps/one/' }).redirects.uris).toEqual([
      'https://app.example/apps/callback?a=b',
      'https://other.example/cb',
      'app.example://cb',
    ]);
  });

  test('IA-51 against the base element, if there is one', () => {
    expect(fromPage('<base href="/deep/"><link rel="redirect_uri" href="cb">').redirects.uris).toEqual([
      'https://app.example/deep/cb',
    ]);
  });

  test('IA-51 and against the address that answered, after redirects', () => {
    const text = '<link rel="redirect_uri" href="cb">';
    expect(fromPage(text, { url: 'https://app.example/new/' }).redirects.uris).toEqual([
      'https://app.example/new/cb',
    ]);
  });

  test('IA-51 a page on another origin, after a redirect, lists nothing for this client', () => {
    const text = '<link rel="redirect_uri" href="https://evil.example/cb">';
    expect(fromPage(text, { url: 'https://evil.example/' }).redirects.uris).toEqual([]);
  });

  test('IA-51 a Link header lists redirects, before the page’s', () => {
    const linkHeader = '</cb>; rel="redirect_uri", <https://other.example/cb>; rel="x redirect_uri"';
    expect(fromPage('<link rel="redirect_uri" href="/page">', { linkHeader }).redirects.uris).toEqual([
      'https://app.example/cb',
      'https://other.example/cb',
      'https://app.example/page',
    ]);
  });

  test.each([
    ['another relation', '<link rel="wrong_redirect_uri_rel" href="https://other.example/cb">'],
    ['a part of a relation', '<link rel="redirect_uri_ redirect-uri" href="https://other.example/cb">'],
    ['a comment', '<!-- <link rel="redirect_uri" href="https://other.example/cb"> -->'],
    ['a template', '<template><link rel="redirect_uri" href="https://other.example/cb"></template>'],
    ['a link in the text', '<p><a rel="redirect_uri" href="https://other.example/cb">mine</a>'],
    ['a script', '<script>"<link rel=redirect_uri href=https://other.example/cb>"</script>'],
    ['no address', '<link rel="redirect_uri"><link rel="redirect_uri" href="https://[bad">'],
  ])('IA-51 %s lists nothing', (_, text) => {
    expect(fromPage(text).redirects.uris).toEqual([]);
  });

  test.each([
    ['of another relation', '<https://other.example/cb>; rel="wrong_redirect_uri_rel"'],
    ['about another page', '<https://other.example/cb>; rel="redirect_uri"; anchor="https://other.example/"'],
    ['without brackets', 'https://other.example/cb; rel="redirect_uri"'],
    ['without an end', '<https://other.example/cb; rel="redirect_uri'],
    ['of rubbish', '<<>>,,;;=""\u0000'],
    ['to no address', '<https://[bad>; rel="redirect_uri"'],
    ['without a relation', '<https://other.example/cb>'],
    ['that is empty', ''],
  ])('IA-51 a Link header %s lists nothing', (_, linkHeader) => {
    expect(fromPage('<p>', { linkHeader }).redirects.uris).toEqual([]);
  });
});
