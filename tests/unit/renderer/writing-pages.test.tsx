import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { livedInHouse, type House } from '../../support/window-fixtures.ts';
import { failing, openWindow } from './open-window.tsx';

const now = { slug: 'now', title: 'Now', text: 'Reading.' };
const uses = { slug: 'uses', title: 'Uses', text: 'A lamp.' };
const text = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Text' });

function houseWithPages(): House {
  const house = livedInHouse(Date.now());
  house.settings.site = { ...house.settings.site, about: 'I am Ada.', pages: [now, uses] };
  return house;
}

test('a page is written in Write, and its address follows from its title', async () => {
  const { user, callsOf } = openWindow({ house: houseWithPages(), hash: '#/write' });
  await user.click(await screen.findByRole('link', { name: 'Page' }));
  await user.type(await screen.findByRole('textbox', { name: 'Title' }), 'About me');
  await user.type(await text(), 'I write *here*.');
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Address' }).value).toBe('about-me');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Saved. The page is on your site.')).toBeTruthy();
  const page = { slug: 'about-me', title: 'About me', text: 'I write *here*.' };
  expect(callsOf('settings.update')).toEqual([{ site: { pages: [now, uses, page] } }]);
  expect(window.location.hash).toBe('#/write?page=about-me');
});

test('the text about the owner is a page without a title and an address', async () => {
  const { user, callsOf } = openWindow({ house: houseWithPages(), hash: '#/write?page=_about' });
  expect((await text()).value).toBe('I am Ada.');
  expect(screen.queryByRole('textbox', { name: 'Title' })).toBeNull();
  await user.type(await text(), ' Hello.');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(callsOf('settings.update')).toEqual([{ site: { about: 'I am Ada. Hello.' } }]));
});

test('a page without a title, or with the address of another, is not saved', async () => {
  const { user, callsOf } = openWindow({ house: houseWithPages(), hash: '#/write?page=new' });
  await user.type(await text(), 'Words');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Enter a title.')).toBeTruthy();
  await user.type(screen.getByRole('textbox', { name: 'Title' }), 'Uses');
  expect(await screen.findByText('Another page has this address.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(callsOf('settings.update')).toEqual([]);
});

test('unsaved changes of a page are kept while another one is open, and can be discarded', async () => {
  const { user } = openWindow({ house: houseWithPages(), hash: '#/write?page=now' });
  await user.type(await text(), ' And walking.');
  const pages = within(screen.getByRole('navigation', { name: 'Your pages' }));
  await user.click(pages.getByRole('link', { name: 'Uses' }));
  await waitFor(async () => expect((await text()).value).toBe('A lamp.'));
  await user.click(pages.getByRole('link', { name: 'Now' }));
  await waitFor(async () => expect((await text()).value).toBe('Reading. And walking.'));
  expect(screen.getByText('Not on your site yet')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'More actions' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Discard changes' }));
  expect((await text()).value).toBe('Reading.');
});

test('a page that was changed elsewhere in the meantime says so, and the saved version can be used', async () => {
  const base = { ...now, text: 'Older.' };
  window.localStorage.setItem(
    'porchlight.page now',
    JSON.stringify({ page: { ...now, text: 'Mine.' }, base }),
  );
  const { user } = openWindow({ house: houseWithPages(), hash: '#/write?page=now' });
  expect((await text()).value).toBe('Mine.');
  expect(screen.getByText(/^This page was changed elsewhere/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Use the saved version' }));
  expect((await text()).value).toBe('Reading.');
});

test('a page that doesn’t exist leads to a new one', async () => {
  openWindow({ house: houseWithPages(), hash: '#/write?page=gone' });
  expect(await screen.findByText('This page doesn’t exist')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Write a page' }).getAttribute('href')).toBe('#/write?page=new');
});

const picture = () => new File(['a picture'], 'desk.png', { type: 'image/png' });
const addPicture = (file: File) =>
  fireEvent.change(screen.getByLabelText('Pictures for the text'), { target: { files: [file] } });

test('a picture is uploaded into the text of a page, and is saved with the page', async () => {
  const { user, callsOf } = openWindow({ house: houseWithPages(), hash: '#/write?page=now' });
  await text();
  addPicture(picture());
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(callsOf('settings.update')).toHaveLength(1));
  expect(callsOf('media.upload')).toHaveLength(1);
  expect(JSON.stringify(callsOf('settings.update'))).toMatch(/!\[\]\(https:\/\/[^)]*desk\.png\)/);
});

test('a page whose picture can’t be uploaded isn’t saved, and the picture can be removed', async () => {
  const handlers = { 'media.upload': failing('The disk is full.') };
  const { user, callsOf } = openWindow({ house: houseWithPages(), hash: '#/write?page=now', handlers });
  await text();
  addPicture(picture());
  expect(await screen.findByText(/The disk is full/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(callsOf('settings.update')).toEqual([]);
  await user.click(screen.getByRole('button', { name: /^Remove/ }));
  await waitFor(async () => expect((await text()).value).not.toContain('Uploading'));
});

test.each([
  ['now', { site: {}, page: { title: 'Now', text: 'Reading. More.' } }],
  ['_about', { site: { about: 'I am Ada. More.' }, page: 'home' }],
])('the preview of the page %s shows it before it is saved', async (name, shown) => {
  const { user, callsOf } = openWindow({ house: houseWithPages(), hash: `#/write?page=${name}` });
  await user.type(await text(), ' More.');
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  await waitFor(() => expect(callsOf('site.preview')).toEqual([shown]));
});
