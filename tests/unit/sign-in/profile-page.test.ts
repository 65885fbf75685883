import { describe, expect, test } from 'vitest';
import { profileFromPage } from '../../../src-main/sign-in/read-pages.ts';

const url = 'https://ann.example/';
const read = (text: string) => profileFromPage({ url, linkHeader: null, text });

const card = (name: string, inside: string) =>
  `<div class="h-card"><span class="p-name">${name}</span>${inside}</div>`;
const linkTo = (address: string, more = '') => `<a class="u-url" href="${address}" ${more}>x</a>`;

describe('whose page it is', () => {
  test('a card whose uid and url are the page comes before all others', () => {
    const own = card('Ann', '<a class="u-url u-uid" href="/">home</a>');
    expect(read(card('Bob', linkTo('https://bob.example/')) + card('Cy', linkTo('/')) + own)?.name).toBe(
      'Ann',
    );
  });

  test('then one whose url is linked with rel=me', () => {
    const mine = card('Ann', linkTo('https://github.example/ann', 'rel="me"'));
    expect(read(card('Bob', linkTo('https://bob.example/')) + mine)?.name).toBe('Ann');
  });

  test('then the only card', () => {
    expect(read(card('Ann', linkTo('https://elsewhere.example/')))?.name).toBe('Ann');
  });

  test('of several, one whose url is the page', () => {
    const others = card('Bob', linkTo('https://bob.example/')) + card('Cy', linkTo('https://cy.example/'));
    expect(read(others + card('Ann', linkTo('https://ann.example')))?.name).toBe('Ann');
    expect(read(others)).toBeNull();
  });

  test('a card within other objects is found', () => {
    const inside = `<div class="h-feed"><div class="h-entry"><div class="p-author h-card"><a class="u-url u-uid p-name" href="/">Ann</a></div></div></div>`;
    expect(read(inside)?.name).toBe('Ann');
  });

  test.each([
    ['empty', ''],
    ['without a card', '<p>Hello</p>'],
    ['of another kind', '<p class="h-entry">Hello</p>'],
    ['made to hurt', '<div class="h-card">'.repeat(10_000)],
  ])('a page that is %s tells nothing', (_, text) => {
    expect(read(text)).toBeNull();
  });
});

describe('the profile on a page', () => {
  test('the name has no address of a picture in it', () => {
    const picture = '<a class="h-card" href="/"><img src="/i.jpg" alt=""> Ada</a>';
    expect(read(picture)).toMatchObject({ name: 'Ada', photo: 'https://ann.example/i.jpg' });
  });

  test('without a name, a nickname or a given and a family name', () => {
    const named = (names: string) => read(`<div class="h-card">${names}${linkTo('/')}</div>`)?.name;
    expect(named('<b class="p-nickname">ada</b>')).toBe('ada');
    expect(named('<b class="p-given-name">Ada</b><b class="p-family-name">Lovelace</b>')).toBe(
      'Ada Lovelace',
    );
  });

  test('name, address, photo and mail', () => {
    const all = `<a class="u-url u-uid p-name" href="/">Ann  </a><img class="u-photo" src="me.jpg" alt="Ann at the sea">
      <a class="u-email" href="mailto:ann@ann.example">mail</a>`;
    expect(read(`<div class="h-card">${all}</div>`)).toEqual({
      name: 'Ann',
      url,
      photo: 'https://ann.example/me.jpg',
      email: 'ann@ann.example',
    });
  });

  test('a card with a name only leaves the rest empty', () => {
    expect(read('<p class="h-card">Ann</p>')).toEqual({ name: 'Ann', url: '', photo: '', email: '' });
  });

  test.each(['javascript:alert(1)', 'data:image/png;base64,AAAA', 'file:///etc/passwd'])(
    'an address like %s is left aside',
    (bad) => {
      const text = `<div class="h-card"><span class="p-name">Ann</span><a class="u-url" href="${bad}">x</a><img class="u-photo" src="${bad}"></div>`;
      expect(read(text)).toMatchObject({ url: '', photo: '' });
    },
  );

  test('nothing is longer than the settings take', () => {
    const long = 'x'.repeat(10_000);
    const text = `<div class="h-card"><span class="p-name">${long}</span><a class="u-url" href="/${long}">x</a><a class="u-email" href="mailto:${long}@a">m</a></div>`;
    const { name, email, url: address } = read(text) ?? {};
    expect([name?.length, address?.length, email?.length]).toEqual([500, 2048, 320]);
  });

  test('an invalid link does not spoil the page', () => {
    expect(read(`<a href="//">bad</a><a href="http://[">worse</a><p class="h-card">Ann</p>`)?.name).toBe(
      'Ann',
    );
  });
});
