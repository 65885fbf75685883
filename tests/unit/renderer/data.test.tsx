import { screen, waitFor, within } from '@testing-library/react';
import { act } from 'react';
import { describe, expect, test } from 'vitest';
import { chooseFirstMore, failing, openWindow } from './open-window.tsx';

const hash = '#/data';
const part = async (name: string) => within(await screen.findByRole('region', { name }));

describe('your data', () => {
  test('a backup is saved to the place in the dialog, without secrets', async () => {
    const { user, callsOf } = openWindow({ hash });
    const backUp = await part('Back up');
    const now = backUp.getByRole('button', { name: 'Back up now' });
    expect(now).toHaveProperty('disabled', true);
    await user.click(backUp.getByRole('button', { name: 'Choose: Save the backup to' }));
    await backUp.findByDisplayValue('/media/robin/disk/porchlight-backup.zip');
    expect(callsOf('desktop.choosePath')).toEqual([
      { purpose: 'saveBackup', suggestion: 'porchlight-backup.zip' },
    ]);
    await user.click(now);
    expect(callsOf('data.backup')).toEqual([{ path: '/media/robin/disk/porchlight-backup.zip' }]);
  });

  test('secrets go in only under a passphrase that is long enough and was typed twice', async () => {
    const { user, callsOf } = openWindow({ hash });
    const backUp = await part('Back up');
    const now = backUp.getByRole('button', { name: 'Back up now' });
    await user.type(backUp.getByLabelText('Save the backup to'), '/disk/b.zip');
    await user.click(backUp.getByLabelText('Include secrets, protected by a passphrase'));
    await user.type(backUp.getByLabelText('Passphrase'), 'short');
    await user.type(backUp.getByLabelText('Repeat the passphrase'), 'short');
    expect(now).toHaveProperty('disabled', true);
    await user.type(backUp.getByLabelText('Passphrase'), ' and long');
    expect(backUp.getByText('The passphrases don’t match.')).toBeTruthy();
    expect(now).toHaveProperty('disabled', true);
    await user.type(backUp.getByLabelText('Repeat the passphrase'), ' and long');
    await user.click(now);
    expect(callsOf('data.backup')).toEqual([{ path: '/disk/b.zip', passphrase: 'short and long' }]);
  });

  test('running work is shown and can be cancelled, and nothing else starts in the meantime', async () => {
    const { client, user, callsOf } = openWindow({ hash: '#/data?tab=export' });
    const out = await part('Export');
    await user.type(out.getByLabelText('Save the export to'), '/disk/out.zip');
    act(() => {
      client.emit({
        name: 'data.progress',
        data: { task: 'weekly', state: 'running', done: 1, total: 4, words: 'Writing the copy.' },
      });
    });
    await screen.findByRole('button', { name: 'Cancel' });
    expect(screen.getAllByRole('status').map(({ textContent }) => textContent)).toContain(
      'Writing the copy.',
    );
    expect(out.getByRole('button', { name: 'Export' })).toHaveProperty('disabled', true);
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(callsOf('data.cancel')).toEqual([{ what: 'work' }]);
  });

  test('a browser has no dialog to choose in', async () => {
    openWindow({ hash, home: 'browser' });
    await part('Back up');
    expect(screen.queryByRole('button', { name: /^Choose/ })).toBeNull();
  });

  test('a browser downloads a backup, without a path', async () => {
    const { client, user, callsOf } = openWindow({ hash, home: 'browser' });
    const backUp = await part('Back up');
    await user.click(backUp.getByRole('button', { name: 'Download a backup' }));
    expect(
      await backUp.findByText('Your browser is downloading porchlight-backup-2026-11-21.zip.'),
    ).toBeTruthy();
    expect(client.downloads).toEqual(['porchlight-backup-2026-11-21.zip']);
    expect(callsOf('data.download')).toEqual([{ what: 'backup' }]);
    expect(callsOf('data.backup')).toEqual([]);
    expect(await backUp.findByText('Your browser downloaded it.')).toBeTruthy();
  });

  test('a browser downloads an export', async () => {
    const { client, user, callsOf } = openWindow({ hash: '#/data?tab=export', home: 'browser' });
    await user.click((await part('Export')).getByRole('button', { name: 'Download an export' }));
    await waitFor(() => expect(client.downloads).toEqual(['porchlight-export-2026-11-21.zip']));
    expect(callsOf('data.download')).toEqual([{ what: 'export' }]);
  });

  test('a browser can save a backup on the computer that runs Porchlight instead', async () => {
    const { client, user, callsOf } = openWindow({ hash, home: 'browser' });
    const backUp = await part('Back up');
    await user.type(backUp.getByLabelText('Save the backup to'), '/disk/b.zip');
    await user.click(backUp.getByRole('button', { name: 'Back up now' }));
    expect(callsOf('data.backup')).toEqual([{ path: '/disk/b.zip' }]);
    expect(client.downloads).toEqual([]);
  });

  test('a download that failed says why, and nothing is downloaded', async () => {
    const handlers = { 'data.download': failing('The disk is full.') };
    const { client, user } = openWindow({ hash, home: 'browser', handlers });
    const backUp = await part('Back up');
    await user.click(backUp.getByRole('button', { name: 'Download a backup' }));
    expect((await backUp.findByRole('alert')).textContent).toContain('The disk is full.');
    expect(client.downloads).toEqual([]);
  });
});

describe('exporting all mentions', () => {
  test('is saved to the place in the dialog', async () => {
    const { user, callsOf } = openWindow({ hash: '#/webmentions' });
    await chooseFirstMore(user, 'Export all mentions');
    const dialog = within(await screen.findByRole('dialog'));
    await user.click(await dialog.findByRole('button', { name: 'Choose: Save the export to' }));
    const suggestion = '/home/robin/Downloads/webmentions-2026-11-21.jf2';
    await dialog.findByDisplayValue(`/media/robin/disk/${suggestion}`);
    expect(callsOf('desktop.choosePath')).toEqual([{ purpose: 'saveMentions', suggestion }]);
    await user.click(dialog.getByRole('button', { name: 'Export' }));
    expect(callsOf('webmentions.exportTo')).toEqual([{ path: `/media/robin/disk/${suggestion}` }]);
  });
});
