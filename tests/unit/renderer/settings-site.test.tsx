import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { linkProblems } from '../../../src-renderer/features/settings/site/lists.tsx';
import { previewable } from '../../../src-renderer/features/settings/site/site-preview.tsx';
import { settingsHash } from '../../../src-renderer/routes.ts';
import { patience } from '../../support/patience.ts';
import { livedInHouse } from '../../support/window-fixtures.ts';
import { openWindow, steady } from './open-window.tsx';

async function openSite(options: Parameters<typeof openWindow>[0] = {}) {
  const opened = openWindow({ hash: settingsHash('site'), ...options });
  const region = within(await screen.findByRole('region', { name: 'Your site' }));
  const save = async () => {
    await opened.user.click(await steady(await region.findByRole('button', { name: 'Save' })));
  };
  return { ...opened, region, save };
}

describe('the settings of the site', () => {
  test('are saved together: theme, accent, texts and time zone', async () => {
    const { user, region, save, callsOf } = await openSite();
    await user.click(region.getByRole('radio', { name: 'Paper' }));
    await user.click(region.getByRole('switch', { name: 'Choose an accent color' }));
    fireEvent.input(region.getByLabelText('Accent color'), { target: { value: '#12ab34' } });
    await user.type(region.getByLabelText('Site title'), 'The porch');
    await user.type(region.getByLabelText('Tagline'), 'Neither in nor out');
    await user.type(region.getByLabelText('Your own CSS'), 'h1 {{ color: red }');
    await user.selectOptions(region.getByLabelText('Time zone'), 'Asia/Tokyo');
    await save();
    await waitFor(() =>
      expect(callsOf('settings.update')).toEqual([
        {
          site: {
            theme: 'paper',
            accent: '#12ab34',
            title: 'The porch',
            tagline: 'Neither in nor out',
            css: 'h1 { color: red }',
            timeZone: 'Asia/Tokyo',
          },
        },
      ]),
    );
  });

  test('the preview follows the input, and switches between pages', async () => {
    const { user, region } = await openSite();
    const preview = region.getByRole('region', { name: 'Preview' });
    const shown = () => preview.querySelector('div')?.shadowRoot?.textContent ?? '';
    await waitFor(() => expect(shown()).toContain('porch, home'), patience);
    await user.type(region.getByLabelText('Site title'), 'A new title');
    await user.click(region.getByRole('radio', { name: 'Garden' }));
    await waitFor(() => expect(shown()).toContain('A new titlegarden, home'), patience);
    await user.click(region.getByRole('radio', { name: 'Newest post' }));
    await waitFor(() => expect(shown()).toContain('garden, post'), patience);
  });

  test('links are added, moved and deleted with the keyboard, and the focus follows', async () => {
    const { user, region, save, callsOf } = await openSite();
    const add = () => user.click(region.getByRole('button', { name: 'Add a link' }));
    for (const [number, label] of ['One', 'Two'].entries()) {
      await add();
      expect(document.activeElement).toBe(region.getByLabelText(`Link ${number + 1}: label`));
      await user.keyboard(label);
      await user.tab();
      await user.keyboard(`https://${label.toLowerCase()}.example/`);
    }
    await user.click(region.getByRole('button', { name: 'Move Two up' }));
    expect(region.getByText('Two is now 1 of 2.').getAttribute('role')).toBe('status');
    // There is no way further up, so the focus goes to the other button of the same link.
    await waitFor(() =>
      expect(document.activeElement).toBe(region.getByRole('button', { name: 'Move Two down' })),
    );
    await user.click(region.getByRole('button', { name: 'Delete One' }));
    expect(document.activeElement).toBe(region.getByRole('button', { name: 'Add a link' }));
    await save();
    await waitFor(() =>
      expect(callsOf('settings.update')).toEqual([
        { site: { links: [{ label: 'Two', url: 'https://two.example/' }] } },
      ]),
    );
  });

  test('a link that isn’t complete is not saved, and the focus goes to it', async () => {
    const { user, region, save, callsOf } = await openSite();
    await user.click(region.getByRole('button', { name: 'Add a link' }));
    await save();
    expect(region.getByText('Enter a label.')).toBeTruthy();
    expect(document.activeElement).toBe(region.getByLabelText('Link 1: label'));
    expect(callsOf('settings.update')).toEqual([]);
  });

  test('pages and the text about the owner are written in Write; here, pages are moved and deleted', async () => {
    const house = livedInHouse(Date.now());
    house.settings.site = {
      ...house.settings.site,
      about: 'I carve *spoons*.',
      pages: [
        { slug: 'now', title: 'Now', text: 'Spoons.' },
        { slug: 'uses', title: 'Uses', text: 'A knife.' },
      ],
    };
    const { user, region, save, callsOf } = await openSite({ house });
    const hrefOf = (name: string) => region.getByRole('link', { name }).getAttribute('href');
    expect(hrefOf('Edit Now')).toBe('#/write?page=now');
    expect(hrefOf('Write a page')).toBe('#/write?page=new');
    expect(hrefOf('Edit this text')).toBe('#/write?page=_about');
    expect(region.getByText('I carve *spoons*.')).toBeTruthy();
    await user.click(region.getByRole('button', { name: 'Move Uses up' }));
    await user.click(region.getByRole('button', { name: 'Delete Now' }));
    expect(document.activeElement).toBe(region.getByRole('link', { name: 'Write a page' }));
    await save();
    await waitFor(() =>
      expect(callsOf('settings.update')).toEqual([
        { site: { pages: [{ slug: 'uses', title: 'Uses', text: 'A knife.' }] } },
      ]),
    );
  });

  test('each theme shows the owner’s own home page, and a click on its picture chooses it', async () => {
    const { user, region } = await openSite();
    const garden = region.getByRole<HTMLInputElement>('radio', { name: 'Garden' });
    const pictures = () => [...region.getByRole('radiogroup', { name: 'Theme' }).querySelectorAll('[inert]')];
    const shown = () => pictures()[2]?.shadowRoot?.textContent ?? '';
    await waitFor(() => expect(shown()).toContain('garden, home'), patience);
    await user.click(pictures()[2]?.parentElement ?? garden);
    expect(garden.checked).toBe(true);
  });

  test('a photo is uploaded and chosen; the profile’s photo can come back', async () => {
    const { user, region, save, callsOf } = await openSite();
    const file = new File(['picture'], 'me.png', { type: 'image/png' });
    await user.upload(region.getByLabelText('Choose a photo for the site'), file);
    await user.click(await region.findByRole('button', { name: 'Use the profile photo' }, patience));
    expect(region.getByText('The site shows the photo in your profile.')).toBeTruthy();
    await save();
    await waitFor(() => expect(callsOf('settings.update')).toEqual([{ site: { photo: '' } }]));
    expect(callsOf('media.upload')).toHaveLength(1);
  });
});

test('a link with a mistake shows a message, and is in the preview only if it is complete', () => {
  const link = { label: ' ', url: 'javascript:x' };
  expect(linkProblems(link)).toEqual({
    label: 'Enter a label.',
    url: 'Enter an address that starts with https://.',
  });
  const { site } = livedInHouse(Date.now()).settings;
  const complete = { label: 'Me', url: 'https://me.example/' };
  const pages = [{ slug: 'about', title: 'About', text: 'long' }];
  expect(previewable({ ...site, links: [link, complete], pages })).toMatchObject({
    links: [complete],
    pages: [{ slug: 'about', text: '' }],
  });
});
