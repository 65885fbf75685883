import { expect, test } from 'vitest';
import { startPorchlight } from '../../support/porchlight.ts';

test('what is told of a token that is revoked calls it a token, not an app that was signed out', async () => {
  const porchlight = await startPorchlight();
  const { id } = await porchlight.call('apps.issueToken', { label: 'Backup script', scopes: ['create'] });
  await porchlight.call('apps.revoke', { id });
  const { items } = await porchlight.call('activity.list', {});
  expect(items.map(({ words }) => words)).toEqual([
    'You revoked the token Backup script.',
    'You made a token by hand: Backup script.',
  ]);
  await porchlight.remove();
});
