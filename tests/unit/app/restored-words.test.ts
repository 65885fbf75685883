import { expect, test } from 'vitest';
import { restoredWords } from '../../../src-main/app/keeping.ts';

const pending = {
  porchlightRestore: 1,
  step: 'ready',
  me: 'https://marlow.example/',
  access: 'here',
  madeAt: '2026-11-20T08:00:00.000Z',
  staged: '/data.restored',
  kept: '/data.before-restore',
} as const;

test('a finished restore names the accepted changes as the window named them', () => {
  const words = restoredWords({
    ...pending,
    secrets: [],
    accept: ['profile.me', 'tunnel.publicUrl', 'apps.signedIn'],
  });
  expect(words).toBe(
    'Restored: the backup from 20 November 2026. You also took from it: Your domain; Public address; Apps that are signed in. Your data from before is in “/data.before-restore”.',
  );
});

test('a finished restore does not mention settings if the owner accepted none', () => {
  expect(restoredWords({ ...pending, secrets: [], accept: [] })).toBe(
    'Restored: the backup from 20 November 2026. Your data from before is in “/data.before-restore”.',
  );
});

test('a finished restore counts the restored posts, and the settings if there are many', () => {
  const accept = ['profile.me', 'tunnel.publicUrl', 'tunnel.mode', 'site.about', 'site.css', 'site.links'];
  const counts = { posts: 1200, files: 1, mentions: 0 };
  expect(restoredWords({ ...pending, counts, secrets: [], accept })).toBe(
    'Restored: 1,200 posts, 1 file and 0 mentions from 20 November 2026. You also took 6 settings from it. Your data from before is in “/data.before-restore”.',
  );
});
