import { screen, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { quietHouse, waitingSignIn } from '../../support/window-fixtures.ts';
import { openWindow } from './open-window.tsx';

const now = Date.now();

describe('the sign-ins screen', () => {
  test('when many asked, new ones are counted below the cards until the owner wants to see them', async () => {
    const { client, house, user } = openWindow({
      house: { ...quietHouse(now), signIns: [waitingSignIn(now, { id: 'own', clientName: 'Own' })] },
      hash: '#/sign-ins',
    });
    const own = await screen.findByRole('region', { name: /^Sign in to\s+Own/ });
    for (let turn = 0; turn < 10; turn += 1) {
      const next = waitingSignIn(now, { id: `m${turn}`, clientName: 'Mallory' });
      house.signIns = [house.signIns[0]!, next];
      if (turn > 0)
        client.emit({
          name: 'signIn.settled',
          data: { id: `m${turn - 1}`, outcome: 'expired', replaced: true },
        });
      client.emit({ name: 'signIn.requested', data: next });
      if (turn < 9) await screen.findByRole('region', { name: /^Sign in to\s+Mallory/ });
    }
    const note = await screen.findByText(/^One more sign-in is waiting\./);
    expect(own.compareDocumentPosition(note) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    expect(screen.getAllByText(/^Started again:/, { selector: 'p' })).toHaveLength(9);

    await user.click(screen.getByRole('button', { name: 'Show all waiting sign-ins' }));
    expect(await screen.findByRole('region', { name: /^Sign in to\s+Mallory/ })).toBeTruthy();
    expect(screen.queryByText(/^Started again:/, { selector: 'p' })).toBeNull();
    expect(document.activeElement?.textContent).toBe('Sign-ins');
  });

  test('one that the owner comes for is shown, however many asked', async () => {
    const { client, house } = openWindow({ house: quietHouse(now), hash: '#/sign-ins' });
    await screen.findByText(/No sign-in is waiting/);
    for (let turn = 0; turn < 11; turn += 1) {
      house.signIns = [waitingSignIn(now, { id: `m${turn}`, clientName: 'Mallory' })];
      client.emit({ name: 'signIn.requested', data: house.signIns[0]! });
      if (turn < 10) await waitFor(() => expect(screen.getAllByText(/Mallory/).length).toBeGreaterThan(turn));
    }
    await screen.findByText(/^One more sign-in is waiting\./);
    window.location.hash = '#/sign-ins?id=m10';
    expect(await screen.findByRole('region', { name: /^Sign in to\s+Mallory/ })).toBeTruthy();
    expect(screen.queryByText(/more sign-in is waiting/)).toBeNull();
  });
});
