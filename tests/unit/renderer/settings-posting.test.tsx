import { fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { livedInHouse } from '../../support/window-fixtures.ts';
import { failing, openWindow } from './open-window.tsx';

const hash = '#/settings/posting';
const posting = async () => within(await screen.findByRole('region', { name: 'Posting' }));
const save = { name: 'Save' };

describe('the settings of posting', () => {
  test('categories are added and removed', async () => {
    const { user, callsOf } = openWindow({ hash });
    const part = await posting();
    await user.type(part.getByRole('combobox', { name: 'Categories' }), 'walks{Enter} {Enter}tea{Enter}');
    await user.click(part.getByRole('button', save));
    await part.findByText('Saved.');
    expect(callsOf('settings.update')).toEqual([{ micropub: { categories: ['porches', 'tea', 'walks'] } }]);
  });

  test('channels are added, renamed and removed; the rest is not sent', async () => {
    const { user, callsOf } = openWindow({ hash });
    const part = await posting();
    await user.type(part.getByLabelText('Name of channel 1'), ' and thoughts');
    await user.click(part.getByRole('button', { name: 'Add a channel' }));
    await user.type(part.getByLabelText('Name of channel 2'), 'Photos');
    await user.type(part.getByLabelText('ID of channel 2'), ' photos ');
    await user.click(part.getByRole('button', save));
    await part.findByText('Saved.');
    await user.click(part.getByRole('button', { name: 'Remove channel Notes and thoughts' }));
    await user.click(part.getByRole('button', save));
    await part.findByText('Saved.');
    expect(callsOf('settings.update')).toEqual([
      {
        micropub: {
          channels: [
            { uid: 'notes', name: 'Notes and thoughts' },
            { uid: 'photos', name: 'Photos' },
          ],
        },
      },
      { micropub: { channels: [{ uid: 'photos', name: 'Photos' }] } },
    ]);
  });

  test('a new row has the focus at once', async () => {
    openWindow({ hash });
    const part = await posting();
    fireEvent.click(part.getByRole('button', { name: 'Add a target' }));
    expect(document.activeElement).toBe(part.getByLabelText('Name of target 1'));
  });

  test('cross-posting targets are kept with their ID', async () => {
    const { user, callsOf } = openWindow({ hash });
    const part = await posting();
    await user.click(part.getByRole('button', { name: 'Add a target' }));
    await user.type(part.getByLabelText('Name of target 1'), 'Social');
    await user.type(part.getByLabelText(/^ID.* of target 1/), 'https://social.example/@robin');
    await user.click(part.getByRole('button', save));
    await part.findByText('Saved.');
    const syndicateTo = [{ uid: 'https://social.example/@robin', name: 'Social' }];
    expect(callsOf('settings.update')).toEqual([{ micropub: { syndicateTo } }]);
  });

  test('Bridgy and IndieNews are added by name, each once', async () => {
    const { user, callsOf } = openWindow({ hash });
    const part = await posting();
    await user.click(part.getByRole('button', { name: 'Add Mastodon (Bridgy)' }));
    expect(part.queryByRole('button', { name: 'Add Mastodon (Bridgy)' })).toBeNull();
    expect(document.activeElement).toBe(part.getByRole('button', { name: 'Add a target' }));
    await user.click(part.getByRole('button', { name: 'Add IndieNews' }));
    await user.click(part.getByRole('button', save));
    await part.findByText('Saved.');
    const syndicateTo = [
      { uid: 'https://brid.gy/publish/mastodon', name: 'Mastodon (Bridgy)' },
      { uid: 'https://news.indieweb.org/en', name: 'IndieNews' },
    ];
    expect(callsOf('settings.update')).toEqual([{ micropub: { syndicateTo } }]);
    await user.click(part.getByRole('button', { name: 'Remove target IndieNews' }));
    expect(part.getByRole('button', { name: 'Add IndieNews' })).toBeTruthy();
  });

  test('the form says that other targets are only offered to apps', async () => {
    openWindow({ hash });
    const part = await posting();
    expect(part.getByText(/Other targets are only offered to apps\./)).toBeTruthy();
  });

  test('a row without a name or ID, or with another’s ID, is not saved, and says why beside its field', async () => {
    const { user, callsOf } = openWindow({ hash });
    const part = await posting();
    await user.click(part.getByRole('button', { name: 'Add a channel' }));
    await user.click(part.getByRole('button', save));
    expect(part.getByText('Enter a name. Apps show it.')).toBeTruthy();
    expect(part.getByText('Enter an ID. Apps send it.')).toBeTruthy();
    await user.type(part.getByLabelText('Name of channel 2'), 'Other');
    await user.type(part.getByLabelText('ID of channel 2'), 'notes ');
    await user.click(part.getByRole('button', save));
    expect(part.getByText('Another row already has this ID.')).toBeTruthy();
    expect(callsOf('settings.update')).toEqual([]);
    await user.type(part.getByLabelText('ID of channel 2'), '2');
    await user.click(part.getByRole('button', { name: 'Discard changes' }));
    expect(part.queryByLabelText('Name of channel 2')).toBeNull();
  });

  test('the largest upload is said in MB', async () => {
    const { user, callsOf } = openWindow({ hash });
    const part = await posting();
    const limit = part.getByLabelText<HTMLInputElement>(/Largest file/);
    expect(limit.value).toBe('100');
    await user.clear(limit);
    await user.type(limit, '2.5');
    await user.click(part.getByRole('button', save));
    await part.findByText('Saved.');
    expect(callsOf('settings.update')).toEqual([{ micropub: { mediaLimitBytes: 2_500_000 } }]);
  });

  test('a largest upload that is left empty is not saved', async () => {
    const { user, callsOf } = openWindow({ hash });
    const part = await posting();
    await user.clear(part.getByLabelText(/Largest file/));
    await user.click(part.getByRole('button', save));
    expect(part.getByText('Enter how large a file may be.')).toBeTruthy();
    expect(callsOf('settings.update')).toEqual([]);
    await user.click(part.getByRole('button', { name: 'Discard changes' }));
    expect(part.getByLabelText<HTMLInputElement>(/Largest file/).value).toBe('100');
  });

  test('details in photos can be kept', async () => {
    const { user, callsOf } = openWindow({ hash, house: livedInHouse(Date.now()) });
    const part = await posting();
    await user.click(part.getByRole('switch', { name: /Remove location and device/ }));
    await user.click(part.getByRole('button', save));
    await part.findByText('Saved.');
    expect(callsOf('settings.update')).toEqual([{ micropub: { removePhotoMetadata: false } }]);
  });

  test('what could not be saved stays, with the reason', async () => {
    const { user } = openWindow({ hash, handlers: { 'settings.update': failing('The disk is full.') } });
    const part = await posting();
    await user.type(part.getByLabelText('Name of channel 1'), '!');
    await user.click(part.getByRole('button', save));
    expect((await part.findByRole('alert')).textContent).toContain('The disk is full.');
    expect(part.getByLabelText<HTMLInputElement>('Name of channel 1').value).toBe('Notes!');
  });
});
