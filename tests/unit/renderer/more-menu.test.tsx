import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import type { ReactElement } from 'react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Appearance } from '../../../src-renderer/appearance.tsx';
import { copyItem, MoreMenu, type MoreItem } from '../../../src-renderer/ui/more-menu.tsx';

function show(items: readonly (MoreItem | false)[]) {
  onTestFinished(cleanup);
  const page = (): ReactElement => (
    <Appearance env="test">
      <main>
        <MoreMenu items={items} />
      </main>
    </Appearance>
  );
  render(page());
  return userEvent.setup();
}

const open = async (user: ReturnType<typeof userEvent.setup>) =>
  user.click(await screen.findByRole('button', { name: 'More actions' }));

test('the menu has the entries whose conditions hold, and acts on a click', async () => {
  const onClick = vi.fn();
  const user = show([
    { label: 'Duplicate', onClick },
    false,
    { label: 'Delete', onClick: vi.fn(), danger: true },
  ]);
  await open(user);
  expect(screen.getAllByRole('menuitem').map(({ textContent }) => textContent)).toEqual([
    'Duplicate',
    'Delete',
  ]);
  await user.click(screen.getByRole('menuitem', { name: 'Duplicate' }));
  expect(onClick).toHaveBeenCalledOnce();
});

test('an entry that leads out of Porchlight tells the other site nothing', async () => {
  const user = show([{ label: 'Open', href: 'https://marlow.example/', outside: true }]);
  await open(user);
  const link = screen.getByRole('menuitem', { name: 'Open' });
  expect([link.getAttribute('href'), link.getAttribute('rel'), link.getAttribute('target')]).toEqual([
    'https://marlow.example/',
    'noopener noreferrer',
    '_blank',
  ]);
});

test('without entries there is no menu', async () => {
  show([false]);
  await waitFor(() => expect(screen.getByRole('main')).toBeTruthy());
  expect(screen.queryByRole('button')).toBeNull();
});

test('an entry that copies says whether that worked', async () => {
  const user = show([copyItem('https://marlow.example/', 'the address')]);
  await open(user);
  await user.click(screen.getByRole('menuitem', { name: 'Copy the address' }));
  expect(await screen.findByText('Copied: the address')).toBeTruthy();
  expect(await navigator.clipboard.readText()).toBe('https://marlow.example/');
});
