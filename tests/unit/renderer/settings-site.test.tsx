import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import {
  areRowsSound,
  linkProblems,
  pageProblems,
  previewable,
  pageSlug,
} from '../../../src-renderer/features/settings/site/site-rows.ts';
import { settingsHash } from '../../../src-renderer/routes.ts';
import { patience } from '../../support/patience.ts';
import { openWindow, steady } from './open-window.tsx';

async function openSite() {
  const opened = openWindow({ hash: settingsHash('site') });
  const region = within(await screen.findByRole('region', { name: 'Porchlight’s site' }));
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
    await user.type(region.getByLabelText('About you'), 'I carve *spoons*');
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
            about: 'I carve *spoons*',
            css: 'h1 { color: red }',
            timeZone: 'Asia/Tokyo',
          },
        },
      ]),
    );
  });

  test('the preview follows what is typed, and switches between pages', async () => {
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

  test('a new page takes the keyboard at once: a key that follows without a pause is not lost', async () => {
    const { region } = await openSite();
    fireEvent.click(region.getByRole('button', { name: 'Add a page' }));
    expect(document.activeElement).toBe(region.getByLabelText('Title'));
  });

  test('a page gets its address from its title, and an incomplete page isn’t saved', async () => {
    const { user, region, save, callsOf } = await openSite();
    await user.click(region.getByRole('button', { name: 'Add a page' }));
    await save();
    expect(await region.findByText('Enter a title.')).toBeTruthy();
    expect(callsOf('settings.update')).toEqual([]);
    await user.type(region.getByLabelText('Title'), 'Über mich');
    expect(region.getByLabelText<HTMLInputElement>('Address').value).toBe('uber-mich');
    await user.clear(region.getByLabelText('Address'));
    await user.type(region.getByLabelText('Address'), 'about');
    await user.type(region.getByLabelText('Title'), '!');
    expect(region.getByLabelText<HTMLInputElement>('Address').value).toBe('about');
    await user.type(region.getByLabelText('Text (Markdown)'), 'Hello');
    await save();
    await waitFor(() =>
      expect(callsOf('settings.update')).toEqual([
        { site: { pages: [{ slug: 'about', title: 'Über mich!', text: 'Hello' }] } },
      ]),
    );
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

describe('links and pages', () => {
  const page = { slug: 'about', title: 'About', text: '' };

  test.each([
    ['About me', 'about-me'],
    ['  Já, 100 %! ', 'ja-100'],
    ['日本', ''],
    ['x'.repeat(80), 'x'.repeat(60)],
  ])('%j has the address %j', (title, slug) => {
    expect(pageSlug(title)).toBe(slug);
  });

  test('have problems in words', () => {
    expect(linkProblems({ label: ' ', url: 'javascript:x' })).toEqual({
      label: 'Enter a label.',
      url: 'Enter an address that starts with https://.',
    });
    expect(pageProblems({ ...page, slug: 'Über' }, [])).toEqual({
      slug: 'Use lowercase letters, digits and hyphens, such as about-me.',
    });
    const twin = { ...page, title: 'Twin' };
    expect(pageProblems(twin, [page, twin])).toEqual({ slug: 'Another page has this address.' });
    expect(areRowsSound({ links: [], pages: [page] })).toBe(true);
  });

  test('are in a preview only if they are complete', () => {
    const site = {
      title: '',
      tagline: '',
      about: '',
      photo: '',
      replyEmail: '',
      accent: '',
      timeZone: '',
      css: '',
      theme: 'porch' as const,
      links: [{ label: '', url: 'https://x.example/' }],
      pages: [
        { ...page, text: 'long' },
        { slug: '', title: 'New', text: '' },
      ],
    };
    expect(previewable(site)).toMatchObject({ links: [], pages: [page] });
  });
});
