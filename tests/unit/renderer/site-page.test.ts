import { describe, expect, test } from 'vitest';
import {
  aboutPage,
  newPage,
  pageProblems,
  pageSlug,
  savedPage,
  withPage,
  withTitle,
} from '../../../src-renderer/features/write/site-page.ts';
import { livedInHouse } from '../../support/window-fixtures.ts';

const now = { slug: 'now', title: 'Now', text: 'Reading.' };
const uses = { slug: 'uses', title: 'Uses', text: 'A lamp.' };
const site = { ...livedInHouse(0).settings.site, about: 'I am Ada.', pages: [now, uses] };

test.each([
  ['About me', 'about-me'],
  ['Über mich!', 'uber-mich'],
  ['  ', ''],
  ['x'.repeat(80), 'x'.repeat(60)],
])('the title %j becomes the address %j', (title, slug) => {
  expect(pageSlug(title)).toBe(slug);
});

test('the address of a page follows from its title until the owner chooses one', () => {
  const begun = withTitle({ slug: '', title: '', text: '' }, 'About me');
  expect(begun.slug).toBe('about-me');
  expect(withTitle({ ...begun, slug: 'me' }, 'About Ada').slug).toBe('me');
});

test('a page is found by its address, and the text about the owner by a name that no page can have', () => {
  expect(savedPage(site, 'uses')).toEqual(uses);
  expect(savedPage(site, aboutPage)?.text).toBe('I am Ada.');
  expect(savedPage(site, newPage)).toEqual({ slug: '', title: '', text: '' });
  expect(savedPage(site, 'gone')).toBeUndefined();
});

test('saving changes the one page, in its place', () => {
  const changed = { ...now, slug: 'today', text: 'Writing.' };
  expect(withPage(site, 'now', changed)).toEqual({ site: { pages: [changed, uses] } });
  expect(withPage(site, newPage, { ...now, slug: 'third' }).site?.pages).toHaveLength(3);
  expect(withPage(site, aboutPage, { slug: '', title: '', text: 'New' })).toEqual({ site: { about: 'New' } });
});

describe('a page', () => {
  test.each([
    [{ ...now, title: ' ' }, ['title']],
    [{ ...now, slug: 'Now!' }, ['slug']],
    [{ ...now, slug: 'uses' }, ['slug']],
    [{ ...now, slug: 'new' }, ['slug']],
    [now, []],
  ])('%j has problems with %j', (page, fields) => {
    expect(Object.keys(pageProblems(page, 'now', site))).toEqual(fields);
  });
});
