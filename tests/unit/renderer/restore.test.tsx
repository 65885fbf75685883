import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { accessChanges } from '../../../src-main/contract/restore-settings.ts';
import { newHouse } from '../../support/window-fixtures.ts';
import { failing, openWindow, steady, type OpenWindow } from './open-window.tsx';

const hash = '#/restore';
const button = <E extends HTMLElement>(name: string | RegExp) => screen.findByRole<E>('button', { name });

async function check({ user }: OpenWindow): Promise<void> {
  await user.type(await screen.findByLabelText('Backup file'), '/disk/b.zip{Enter}');
  await button('Restore this backup…');
}

test('a check lists what would change, nothing ticked, and restores nothing', async () => {
  const opened = openWindow({ hash });
  await check(opened);
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Restore a backup'));
  const boxes = screen.getAllByRole('checkbox');
  expect(boxes.length).toBe(10);
  expect(boxes.filter((box) => (box as HTMLInputElement).checked)).toEqual([]);
  const pkce = screen.getByRole('checkbox', { name: 'Apps may sign in without PKCE' });
  const about = document.getElementById(pkce.getAttribute('aria-describedby') ?? '');
  expect(about?.textContent).toContain('Here: off. In the backup: on.');
  expect(screen.getByText('3,650 days')).toBeTruthy();
  expect(screen.queryByRole('radio')).toBeNull();
  expect(opened.callsOf('data.applyRestore')).toEqual([]);
});

test('a restore is confirmed with a list of its changes, and can be cancelled without a trace', async () => {
  const opened = openWindow({ hash });
  const { user, callsOf } = opened;
  await check(opened);
  await user.click(screen.getByRole('checkbox', { name: 'Trusted sites' }));
  await user.click(await button('Restore this backup…'));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText(/You also take from the backup: Trusted sites\./)).toBeTruthy();
  expect(callsOf('data.applyRestore')).toEqual([]);
  await user.click(await steady(dialog.getByRole('button', { name: 'Restore' })));
  await screen.findByRole('heading', { level: 1, name: 'Restart to finish' });
  expect(callsOf('data.applyRestore')).toEqual([{ accept: ['webmention.trustedDomains'] }]);
  expect(callsOf('data.restart')).toEqual([]);

  await user.click(await button('Cancel restore'));
  await screen.findByRole('heading', { level: 1, name: 'Restore a backup' });
  expect(screen.queryByRole('checkbox')).toBeNull();
  expect(screen.queryByText(/takes the place|2026-11-14/)).toBeNull();
  expect(callsOf('data.cancel')).toEqual([{ what: 'waiting' }]);
});

test('on a new computer the owner says whether the backup is theirs, and then takes all but access', async () => {
  const house = newHouse(Date.now());
  const opened = openWindow({ hash, house });
  const { user, callsOf } = opened;
  await check(opened);
  const restore = await button<HTMLButtonElement>('Restore this backup…');
  expect(restore.disabled).toBe(true);
  expect(screen.queryByRole('checkbox')).toBeNull();
  await user.click(screen.getByRole('radio', { name: 'No, or I’m not sure' }));
  expect(screen.getAllByRole('checkbox')).toHaveLength(10);
  await user.click(screen.getByRole('radio', { name: 'Yes, take everything' }));
  const left = screen.getAllByRole<HTMLInputElement>('checkbox');
  expect(left.filter(({ checked }) => checked)).toEqual([]);
  await user.click(restore);
  await user.click(
    await steady(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Restore' })),
  );
  await screen.findByRole('heading', { level: 1, name: 'Restart to finish' });
  const [{ accept = [] } = {}] = callsOf('data.applyRestore') as { accept?: string[] }[];
  expect(accept).toHaveLength(10 - left.length);
  expect(accept.filter((setting) => accessChanges.has(setting))).toEqual([]);
});

test('a backup that is refused says why, and nothing can be restored', async () => {
  const { user } = openWindow({ hash, handlers: { 'data.restore': failing('This backup is damaged.') } });
  await user.type(await screen.findByLabelText('Backup file'), '/disk/b.zip{Enter}');
  expect((await screen.findByRole('alert')).textContent).toContain('This backup is damaged.');
  expect(screen.queryByRole('button', { name: 'Restore this backup…' })).toBeNull();
});

test('in a browser, the backup is uploaded, and the owner reads how to restart', async () => {
  const opened = openWindow({ hash, home: 'browser' });
  await screen.findByRole('group', { name: 'Backup file' });
  const input = document.querySelector<HTMLInputElement>('input[type=file]')!;
  await opened.user.upload(input, new File(['backup'], 'b.zip'));
  await screen.findByText(/^Uploaded:/);
  await opened.user.click(await button('Check this backup'));
  await button('Restore this backup…');
  expect(opened.callsOf('data.restore')).toEqual([{ path: '/uploads/b.zip' }]);
  await opened.user.click(await button('Restore this backup…'));
  await opened.user.click(
    await steady(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Restore' })),
  );
  expect(await screen.findByText(/Stop Porchlight, then start it again/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Restart Porchlight' })).toBeNull();
});
