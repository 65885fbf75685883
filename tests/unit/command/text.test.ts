import { describe, expect, test } from 'vitest';
import { backupProgressText, backupText, statusText } from '../../../src-main/command/commands.ts';
import { postImportText, postProgressText } from '../../../src-main/command/imports.ts';
import { importText, mentionsText, progressText } from '../../../src-main/command/mentions.ts';
import { signInsText, signInText, signInWith } from '../../../src-main/command/sign-ins.ts';
import { jsonLine, shortLine, sizeInWords, table, remainingTime } from '../../../src-main/command/text.ts';
import type { ImportReport } from '../../../src-main/contract/post-import.ts';
import type { SignIn } from '../../../src-main/contract/sign-ins.ts';
import { logText } from '../../../src-main/platform/log.ts';

const now = Date.UTC(2026, 10, 22, 12);
const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();

function signIn(changes: Partial<SignIn> = {}): SignIn {
  return {
    id: 'one',
    matchCode: '42',
    clientId: 'https://quill.example/',
    clientName: 'Quill',
    clientHost: 'quill.example',
    clientLogo: null,
    device: null,
    redirectUri: 'https://quill.example/back',
    scopes: ['profile', 'create'],
    permissions: [
      { scope: 'profile', words: 'See your name' },
      { scope: 'create', words: 'Publish posts' },
    ],
    warnings: [],
    requestedAt: at(-60),
    expiresAt: at(540),
    ...changes,
  };
}

describe('the output of the command', () => {
  test('columns line up, also with wide characters and emoji', () => {
    expect(
      table([
        ['a', 'b'],
        ['日本', 'c'],
        ['🎉', 'd'],
      ]),
    ).toBe('a     b\n日本  c\n🎉    d\n');
  });

  test('nothing that strangers chose controls the terminal', () => {
    expect(shortLine('Quill\u001b[2J\u009b31m\n\u202ereversed', 60)).toBe('Quill [2J 31m reversed');
    expect(shortLine('🎉🎉🎉🎉', 3)).toBe('🎉🎉…');
    expect(jsonLine({ name: 'a\u009bb\u001b' })).toBe('{"name":"a\\u009bb\\u001b"}\n');
    expect(JSON.parse(jsonLine({ name: 'a\u009bb\u001b' }))).toEqual({ name: 'a\u009bb\u001b' });
  });

  test.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [1000, '1.0 kB'],
    [20_000_000, '20 MB'],
    [3_200_000_000, '3.2 GB'],
  ])('%d bytes are %s', (bytes, words) => expect(sizeInWords(bytes)).toBe(words));

  test.each([
    [600, '10 min'],
    [90, '2 min'],
    [89, '89 s'],
    [-5, '0 s'],
  ])('%d seconds are %s', (seconds, words) => expect(remainingTime(at(seconds), now)).toBe(words));

  test('the status, with problems last', () => {
    const status = {
      server: 'on' as const,
      words: 'On, reachable at https://p.example',
      baseUrl: 'https://p.example',
      port: 4180,
      me: null,
      flags: { baseUrl: true, tunnel: null },
      secrets: 'file' as const,
      waiting: 1,
      version: '1.2.3',
      demo: false,
      problems: [
        { code: 'clock' as const, message: 'One.' },
        { code: 'restarted' as const, message: 'Two.' },
      ],
    };
    expect(statusText(status)).toBe(
      [
        'Version    1.2.3',
        'Server     On, reachable at https://p.example',
        'Your site  not set',
        'Secrets    in a file that only you can read',
        'Waiting    1 sign-in',
        'Problems   One.',
        '           Two.',
        '',
      ].join('\n'),
    );
    expect(statusText(status, '3')).toContain('Waiting    1 sign-in, 3 mentions\n');
    expect(statusText({ ...status, waiting: 0 }, '1')).toContain('Waiting    1 mention\n');
    expect(statusText({ ...status, waiting: 0 })).toContain('Waiting    nothing\n');
  });

  test('sign-ins, with the facts for an approval', () => {
    expect(signInsText([], now)).toBe('No sign-ins are waiting.\n');
    expect(signInsText([signIn()], now)).toBe(
      'CODE  APP    HOST           PERMISSIONS     EXPIRES IN\n42    Quill  quill.example  profile create  9 min\n',
    );
    const text = signInText(signIn({ warnings: ['It sends you to another host.'] }));
    expect(text.split('\n')).toEqual([
      'Sign in to Quill (quill.example)?',
      'Permissions:',
      '  profile: See your name',
      '  create: Publish posts',
      'Warning: It sends you to another host.',
      'Approve only if you started this sign-in and your browser shows the same code.',
    ]);
    const email = { scopes: ['email'], permissions: [{ scope: 'email', words: 'See your email address' }] };
    expect(signInText(signIn(email))).not.toContain('email address');
  });

  test('mentions, imports and backups in words', () => {
    expect(mentionsText([])).toBe('No mentions.\n');
    expect(progressText({ state: 'running', done: 5, total: 20, words: 'Importing' })).toBe(
      'Importing 5 of 20 mentions',
    );
    expect(importText({ imported: 2, updated: 1, removed: 0, targets: 1, total: 3 })).toBe(
      'Read 3 mentions of 1 page: 2 new, 1 updated, 0 removed.\n',
    );
    const counts = { posts: 1, files: 0, mentions: 1200, bytes: 2048 };
    const made = { path: '/b.zip', counts, secrets: true, problems: ['A file is missing.'] };
    expect(backupText(made, 1500)).toBe(
      'Backed up to /b.zip (1.5 kB).\nIt contains 1 post, 0 files, 1,200 mentions. Secrets are in it, under your passphrase.\nProblem: A file is missing.\n',
    );
    expect(backupText(made, null)).toMatch(/^Backed up to \/b\.zip\.\n/);
  });

  test('an import of posts, with what was skipped and lost', () => {
    const report: ImportReport = {
      id: '1',
      format: 'wxr',
      state: 'done',
      found: 1200,
      imported: 1198,
      kinds: [{ kind: 'article', count: 1198 }],
      files: 1,
      mentions: 3,
      pages: 0,
      skipped: [],
      reasons: [{ why: 'A draft\u001b[2J.', count: 2 }],
      losses: [{ what: 'Lamp', lost: ['A gallery.'] }],
      lossCount: 3,
      samples: [],
    };
    expect(postImportText(report)).toBe(
      [
        'Imported 1,198 posts of 1,200, 1 file, 3 mentions (a WordPress export).',
        'Skipped (2): A draft [2J.',
        'Loses something: Lamp: A gallery.',
        'Loses something: 2 more posts. The window lists them.',
        '',
      ].join('\n'),
    );
    expect(postImportText({ ...report, state: 'checked', imported: 0 })).toMatch(/^Would import 1,198 posts/);
    const progress = { id: '1', state: 'importing', words: '', done: 5, total: 20 } as const;
    expect(postProgressText(progress)).toBe('Importing 5 of 20 posts');
  });

  test('progress is one line, with sizes if they are known', () => {
    const progress = { task: 'backup', state: 'running', words: 'Writing the backup.' } as const;
    expect(backupProgressText({ ...progress, done: 1_200_000, total: 27_000_000 })).toBe(
      'Writing the backup. 1.2 MB of 27 MB',
    );
    expect(backupProgressText({ ...progress, done: 0, total: 0 })).toBe('Writing the backup.');
  });
});

describe('the sign-in of a code', () => {
  test('is the one that waits with it', () => {
    const other = signIn({ id: 'two', matchCode: '07' });
    expect(signInWith('42', [other, signIn()], now).id).toBe('one');
  });

  test.each([
    ['none', [signIn({ matchCode: '07' })], 'not_found'],
    ['an expired one', [signIn({ expiresAt: at(0) })], 'not_found'],
    ['two', [signIn(), signIn({ id: 'two' })], 'ambiguous'],
  ])('refuses %s', (_, waiting, code) => {
    expect(() => signInWith('42', waiting, now)).toThrow(expect.objectContaining({ code, exitCode: 1 }));
  });
});

describe('the log on a terminal', () => {
  const time = new Date(2026, 10, 22, 9, 5, 7).getTime();
  const text = (line: Record<string, unknown>) => logText(JSON.stringify({ level: 40, time, ...line }));

  test('is a time, a level, the message and what else there is', () => {
    expect(text({ msg: 'Careful', mode: 'quick', count: 2 })).toBe(
      '09:05:07 WARN  Careful mode="quick" count=2\n',
    );
    expect(text({ level: 30, msg: 'one\u001b[2Jtwo\nthree' })).toBe('09:05:07 INFO  one [2Jtwo three\n');
  });

  test('has the stack of an error below, or its message', () => {
    expect(text({ level: 50, msg: 'Failed', err: { stack: 'Error: no\n    at here' } })).toBe(
      '09:05:07 ERROR Failed\n  Error: no\n  at here\n',
    );
    expect(text({ msg: 'Failed', err: { message: 'no' } })).toBe('09:05:07 WARN  Failed\n  no\n');
  });

  test('has only the reason of a refusal below, such as a site that can’t be reached', () => {
    const refusal = { message: 'no: DNS has no address', stack: 'FetchError: no\n    at here', status: 400 };
    expect(text({ msg: 'Failed', err: { ...refusal, detail: 'No such name.' } })).toBe(
      '09:05:07 WARN  Failed\n  No such name.\n',
    );
    expect(text({ msg: 'Failed', err: refusal })).toBe('09:05:07 WARN  Failed\n  no: DNS has no address\n');
    expect(text({ msg: 'Failed', err: { ...refusal, status: 500 } })).toContain('  at here\n');
  });

  test('leaves out where Fastify listens: the lines on stdout say it', () => {
    expect(text({ level: 30, msg: 'Server listening at http://127.0.0.1:4180' })).toBeNull();
  });
});
