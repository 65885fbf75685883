import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { livedInHouse } from '../../support/window-fixtures.ts';
import { openWindow } from './open-window.tsx';

/** A window at the settings for assistants, whose test finds `level`. */
async function tested(level: 'pass' | 'fail') {
  const house = livedInHouse(Date.now());
  house.settings = { ...house.settings, assistants: { on: true } };
  house.findings = [
    {
      id: 'assistants',
      area: 'address',
      level,
      title: 'Assistants can’t connect',
      detail: 'Bot Fight Mode',
      fix: 'Turn it off.',
    },
  ];
  const { user, callsOf } = openWindow({ hash: '#/settings/assistants', house });
  await user.click(await screen.findByRole('button', { name: 'Test the address' }));
  return callsOf;
}

test('the address for assistants can be tested, and what is wrong is said with what to do', async () => {
  const callsOf = await tested('fail');
  expect(await screen.findByText('Bot Fight Mode')).toBeTruthy();
  expect(screen.getByText(/Turn it off/)).toBeTruthy();
  expect(callsOf('setup.check')).toEqual([{ only: 'assistants' }]);
});

test('a test that finds nothing says that assistants can connect', async () => {
  await tested('pass');
  expect(await screen.findByText('Assistants can connect.')).toBeTruthy();
});
