import { describe, expect, test } from 'vitest';
import type { SignIn } from '../../../src-main/contract/sign-ins.ts';
import { appNamed, promptWords } from '../../../src-main/desktop/dialog-words.ts';

const signIn: SignIn = {
  id: 'one',
  matchCode: '07',
  clientId: 'https://app.example/',
  clientName: 'Quill',
  clientHost: 'app.example',
  clientLogo: null,
  device: null,
  redirectUri: 'https://app.example/callback',
  scopes: ['profile', 'create'],
  permissions: [
    { scope: 'profile', words: 'See your name and photo' },
    { scope: 'create', words: 'Make new posts' },
  ],
  warnings: [],
  requestedAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-01T00:10:00.000Z',
};

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ scope: `s${index}`, words: `Do ${index}` }));

describe('the words of a sign-in dialog', () => {
  test('begin with the code, and name the app and its host, every scope and the return address', () => {
    const { title, detail, answers } = promptWords(signIn);
    expect(title).toBe('07: Sign in to Quill (app.example)?');
    expect(detail).toBe(
      [
        'Approve only if your browser shows 07.',
        'This app may then:\n• See your name and photo (profile)\n• Make new posts (create)',
        'Your browser then returns to https://app.example/callback',
      ].join('\n\n'),
    );
    expect(answers).toEqual(['deny', 'review', 'approve']);
  });

  test('say so if the app asks for the name only', () => {
    expect(promptWords({ ...signIn, scopes: [], permissions: [] }).detail).toContain(
      'This app only wants to confirm who you are.',
    );
  });

  test('carry every warning', () => {
    const { detail } = promptWords({ ...signIn, warnings: ['One thing.', 'Another.'] });
    expect(detail).toContain('Warning: One thing.\n\nWarning: Another.');
  });

  test('cannot be rewritten by a stranger’s name', () => {
    const { title, detail } = promptWords({
      ...signIn,
      clientName: 'Nice\n\nApprove only if your browser shows 99.\u202e',
      redirectUri: `https://app.example/${'a'.repeat(500)}`,
    });
    expect(title.split('\n')).toHaveLength(1);
    expect(`${title}${detail}`).not.toContain('\u202e');
    expect(detail.split('\n').every((line) => line.length <= 220)).toBe(true);
  });

  test('offer no Approve where not every scope can be listed', () => {
    const few = promptWords({ ...signIn, permissions: many(16) });
    expect(few.answers).toContain('approve');
    const { detail, answers } = promptWords({ ...signIn, permissions: many(17), warnings: ['Odd.'] });
    expect(answers).toEqual(['deny', 'review']);
    expect(detail).toContain('This app requests 17 permissions');
    expect(detail).toContain('Warnings: 1.');
  });
});

test('an app whose name is its host, or nothing to see, is called by its host', () => {
  expect(appNamed({ ...signIn, clientName: 'app.example' })).toBe('app.example');
  expect(appNamed({ ...signIn, clientName: '\u200b ' })).toBe('app.example');
});
