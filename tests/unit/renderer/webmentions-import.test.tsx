import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { ImportProgress } from '../../../src-main/contract/mention-import.ts';
import { livedInHouse, quietHouse, type House } from '../../support/window-fixtures.ts';
import { chooseFirstMore, failing, openWindow, steady } from './open-window.tsx';

const hash = '#/webmentions';
const dialog = async () => within(await screen.findByRole('dialog', { name: 'Import from webmention.io' }));
const openDialog = async (user: ReturnType<typeof openWindow>['user']) => {
  await chooseFirstMore(user, 'Import from webmention.io');
  return dialog();
};
const houseWith = (tokenStored: boolean, progress: ImportProgress | null = null): House => ({
  ...livedInHouse(Date.now()),
  importing: { tokenStored, progress, last: null },
});
const failed = { state: 'failed', done: 300, total: null, words: 'webmention.io did not answer.' } as const;

describe('the import', () => {
  test('explains where to find the token, keeps it hidden, and imports with one click', async () => {
    const { user, callsOf } = openWindow({ hash, house: quietHouse(Date.now()) });
    const shown = await openDialog(user);
    const link = await shown.findByRole('link', { name: 'webmention.io/settings' });
    expect(link.getAttribute('href')).toBe('https://webmention.io/settings');
    const field = shown.getByLabelText<HTMLInputElement>('Your webmention.io API key');
    expect(field.type).toBe('password');
    await user.type(field, ' s3cret ');
    await user.click(shown.getByRole('button', { name: 'Import' }));
    expect(await shown.findByText('Read 1,204 mentions: 1,203 new, 1 changed, 0 removed.')).toBeTruthy();
    expect(callsOf('webmentions.import')).toEqual([{ aggregatorToken: 's3cret' }]);
    expect(await shown.findByRole('button', { name: 'Import again' })).toBeTruthy();
    expect(document.body.innerHTML).not.toContain('s3cret');
    await user.keyboard('{Escape}');
    expect(await screen.findByRole('button', { name: /From the old days/ })).toBeTruthy();
  });

  test('does not begin without a token', async () => {
    const { user, callsOf } = openWindow({ hash });
    const shown = await openDialog(user);
    await user.click(await shown.findByRole('button', { name: 'Import' }));
    expect(shown.getByText('Paste the API key first.')).toBeTruthy();
    expect(callsOf('webmentions.import')).toEqual([]);
  });

  test('with a stored token is one click, and the token can be forgotten', async () => {
    const { user, callsOf } = openWindow({ hash, house: houseWith(true) });
    const shown = await openDialog(user);
    await user.click(await shown.findByRole('button', { name: 'Import' }));
    await shown.findByText(/Read 1,204 mentions/);
    expect(callsOf('webmentions.import')).toEqual([{}]);
    await user.click(shown.getByRole('button', { name: 'Remove the API key' }));
    expect(await shown.findByLabelText('Your webmention.io API key')).toBeTruthy();
    expect(callsOf('secrets.setAggregatorToken')).toEqual([{ token: '' }]);
  });

  test('shows its progress, also after the dialog is closed', async () => {
    const { user, client } = openWindow({ hash });
    const shown = await openDialog(user);
    await shown.findByLabelText('Your webmention.io API key');
    const emit = (part: Partial<ImportProgress>) => {
      const data = {
        state: 'running' as const,
        done: 400,
        total: 1600,
        words: '400 mentions read so far.',
        ...part,
      };
      client.emit({ name: 'import.progress', data });
    };
    emit({});
    const bar = await shown.findByRole('progressbar', { name: 'Import progress' });
    expect(bar.getAttribute('aria-valuenow')).toBe('25');
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    emit({ done: 800, words: '800 mentions read so far.' });
    expect(await screen.findByText('800 mentions read so far.')).toBeTruthy();
    emit({ state: 'done', words: 'All read.' });
    await waitFor(() => expect(screen.queryByText('800 mentions read so far.')).toBeNull());
    expect(screen.queryByRole('progressbar')).toBeNull();
  });

  test('an interrupted import says why and continues there', async () => {
    const { user, callsOf } = openWindow({ hash, house: houseWith(true, failed) });
    const shown = await openDialog(user);
    expect(await shown.findByText(/webmention\.io did not answer\./)).toBeTruthy();
    expect(shown.getByText(/next import continues from there/)).toBeTruthy();
    await user.click(shown.getByRole('button', { name: 'Continue' }));
    await shown.findByText(/Read 1,204 mentions/);
    expect(callsOf('webmentions.import')).toEqual([{}]);
  });

  test('a failed import says why once, and continues with the stored token', async () => {
    const house = houseWith(true, failed);
    const { user } = openWindow({ hash, house, handlers: { 'webmentions.import': failing(failed.words) } });
    const shown = await openDialog(user);
    await user.click(await shown.findByRole('button', { name: 'Continue' }));
    expect((await shown.findByRole('alert')).textContent).toContain(failed.words);
    expect(shown.getAllByText(failed.words)).toHaveLength(1);
    expect(shown.getByRole('button', { name: 'Continue' })).toBeTruthy();
  });

  test('whose token is refused asks for another one', async () => {
    const refuse = () =>
      Promise.reject(new PorchlightError('aggregator_refused', 'The aggregator does not accept this token.'));
    const house = houseWith(true);
    const { user, callsOf } = openWindow({ hash, house, handlers: { 'webmentions.import': refuse } });
    const shown = await openDialog(user);
    await user.click(await shown.findByRole('button', { name: 'Import' }));
    await user.type(await shown.findByLabelText('Your webmention.io API key'), 'better');
    expect(shown.getByRole('alert').textContent).toContain('does not accept this token');
    await user.click(shown.getByRole('button', { name: 'Import' }));
    await waitFor(() => expect(callsOf('webmentions.import')).toEqual([{}, { aggregatorToken: 'better' }]));
  });

  test('ends with a summary, asks before it removes many mentions, and closes with Done', async () => {
    const last = { id: 'run-9', at: new Date().toISOString(), imported: 4901, updated: 12, removed: 0 };
    const house = houseWith(true, { state: 'done', done: 5000, total: 5000, words: 'Read 5,000 mentions.' });
    house.importing = { ...house.importing, last: { ...last, total: 5000, wouldRemove: 312 } };
    const { user, callsOf } = openWindow({ hash, house });
    expect(await screen.findByText(/no longer lists 312 mentions that you imported/)).toBeTruthy();
    const shown = await openDialog(user);
    expect(await shown.findByText('Last import: 4,901 new, 12 changed')).toBeTruthy();
    expect(shown.getByText('Unchanged').nextSibling?.textContent).toBe('87');
    await user.click(shown.getByRole('button', { name: 'Show what changed' }));
    const missing = within(await shown.findByRole('region', { name: 'No longer listed at webmention.io' }));
    expect(missing.getByText('And 309 more.')).toBeTruthy();
    await user.click(await steady(shown.getByRole('button', { name: 'Remove 312 mentions' })));
    expect(await shown.findByText('Removed 312 mentions.')).toBeTruthy();
    await user.click(await shown.findByRole('button', { name: 'Restore 312 mentions' }));
    expect(await shown.findByText('Restored 312 mentions.')).toBeTruthy();
    expect(callsOf('webmentions.applyRemovals')).toEqual([{ id: 'run-9' }]);
    expect(callsOf('webmentions.undoImport')).toEqual([{ id: 'run-9' }]);
    await user.click(shown.getByRole('button', { name: 'Done' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });
});
