import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { restoredHouse } from '../../support/window-houses.ts';
import { failing, openWindow, steady } from './open-window.tsx';

const hash = '#/data';
const heading = 'Data from before a restore';
const section = async () => within(await screen.findByRole('region', { name: heading }));
const askToDelete = /^Delete the data that was replaced on .+…$/;
const question = async () =>
  within(await screen.findByRole('dialog', { name: 'Delete the data from before the restore?' }));

test('what restores replaced is listed with its age, size and path', async () => {
  const house = restoredHouse(Date.now());
  openWindow({ hash, house });
  const rows = (await section()).getAllByRole('listitem');
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining('Replaced by a restore 3 days ago, 731 MB'),
    expect.stringContaining('Replaced by a restore 1 month ago, 693 MB'),
  ]);
  expect(rows[0]?.textContent).toContain(house.leftovers?.[0]?.path);
});

test('without such data, nothing is said about it', async () => {
  const { callsOf } = openWindow({ hash });
  await screen.findByRole('region', { name: 'Restore' });
  await waitFor(() => expect(callsOf('data.leftovers')).toHaveLength(1));
  expect(screen.queryByText(heading)).toBeNull();
});

test('it is deleted after a question that names the loss', async () => {
  const house = restoredHouse(Date.now());
  const { user, callsOf } = openWindow({ hash, house });
  await user.click((await section()).getAllByRole('button', { name: askToDelete })[1] as HTMLElement);
  const dialog = await question();
  expect(dialog.getByText(/\(693 MB\).*You can’t undo this\. Your current data stays\./)).toBeTruthy();
  expect(callsOf('data.deleteLeftover')).toEqual([]);
  await user.click(await steady(dialog.getByRole('button', { name: 'Delete' })));
  expect(await screen.findByText(/^Deleted the data that was replaced on/)).toBeTruthy();
  expect(callsOf('data.deleteLeftover')).toEqual([{ name: house.leftovers?.[1]?.name }]);
  await waitFor(async () => expect((await section()).getAllByRole('listitem')).toHaveLength(1));
});

test('a deletion that fails says why, and the data stays in the list', async () => {
  const handlers = {
    'data.deleteLeftover': failing('The restore isn’t finished. Restart Porchlight first.'),
  };
  const { user } = openWindow({ hash, house: restoredHouse(Date.now()), handlers });
  await user.click((await section()).getAllByRole('button', { name: askToDelete })[0] as HTMLElement);
  const dialog = await question();
  await user.click(await steady(dialog.getByRole('button', { name: 'Delete' })));
  expect((await dialog.findByRole('alert')).textContent).toContain('The restore isn’t finished.');
  await user.click(dialog.getByRole('button', { name: 'Cancel' }));
  expect((await section()).getAllByRole('listitem')).toHaveLength(2);
});

test('a list that can’t be loaded says so', async () => {
  openWindow({ hash, handlers: { 'data.leftovers': failing('The disk doesn’t respond.') } });
  expect((await (await section()).findByRole('alert')).textContent).toContain('The disk doesn’t respond.');
});
