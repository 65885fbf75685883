import { expect, test } from 'vitest';
import { restoredWords } from '../../../src-main/service/keeping.ts';

const pending = {
  porchlightRestore: 1,
  step: 'ready',
  me: 'https://marlow.example/',
  access: 'here',
  madeAt: '2026-11-20T08:00:00.000Z',
  staged: '/data.restored',
  kept: '/data.before-restore',
} as const;

test('a finished restore names what the owner took from the backup as the window named it', () => {
  const words = restoredWords({
    ...pending,
    secrets: [],
    accept: ['profile.me', 'tunnel.publicUrl', 'apps.signedIn'],
  });
  expect(words).toBe(
    'Restored: the backup from 2026-11-20. You also took from it: Your domain; Public address; Apps that are signed in. Your data from before is in “/data.before-restore”.',
  );
});

test('a finished restore says nothing of settings where the owner took none', () => {
  expect(restoredWords({ ...pending, secrets: [], accept: [] })).toBe(
    'Restored: the backup from 2026-11-20. Your data from before is in “/data.before-restore”.',
  );
});
