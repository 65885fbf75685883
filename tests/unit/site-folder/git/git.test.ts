import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { identityFrom } from '../../../../src-main/site-folder/git/git.ts';
import { gitEnvironment, programFile, sshVariables } from '../../../../src-main/site-folder/git/git-run.ts';
import { requireFileNames } from '../../../../src-main/site-folder/git/git.ts';
import { refsOf } from '../../../../src-main/site-folder/git/git-branches.ts';
import { troubleFrom } from '../../../../src-main/site-folder/git/git-trouble.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';

describe('the environment of git', () => {
  test('keeps the owner’s agent, drops git’s own variables and leaves no way to ask', () => {
    const found = gitEnvironment({
      PATH: '/bin',
      SSH_AUTH_SOCK: '/agent',
      GIT_DIR: '/x',
      git_index_file: 'y',
      LANG: 'de',
    });
    expect(found).toMatchObject({
      PATH: '/bin',
      SSH_AUTH_SOCK: '/agent',
      LC_ALL: 'C',
      GIT_TERMINAL_PROMPT: '0',
      GIT_ASKPASS: '',
    });
    expect(Object.keys(found)).not.toEqual(expect.arrayContaining(['GIT_DIR']));
    expect(Object.keys(found)).not.toEqual(expect.arrayContaining(['git_index_file']));
  });

  test('keeps the owner’s own ssh command, which otherwise asks no questions', () => {
    expect(sshVariables('ssh -i key')).toEqual({});
    expect(sshVariables(undefined)['GIT_SSH_COMMAND']).toContain('BatchMode=yes');
  });
});

test('on Windows, git is never the one in the folder in which it runs', async () => {
  const dir = await temporaryFolder();
  const at = (PATH: string) => programFile('git', { PATH }, 'win32');
  expect(await at(`${dir};bin`)).toBe(path.join(dir, 'git.exe'));
  expect(path.isAbsolute(await at('.;bin;'))).toBe(true);
  const other = await temporaryFolder();
  await writeFile(path.join(other, 'git.exe'), '');
  expect(await at(`.;${dir};${other}`)).toBe(path.join(other, 'git.exe'));
  expect(await programFile('git', { PATH: other }, 'linux')).toBe('git');
});

test.each([
  ["fatal: could not read Username for 'https://a.example': terminal prompts disabled", 'credentials'],
  ['Host key verification failed.\nfatal: Could not read from remote repository.', 'credentials'],
  [
    'git@a.example: Permission denied (publickey).\nfatal: Could not read from remote repository.',
    'credentials',
  ],
  ["fatal: unable to access 'https://a.example/': The requested URL returned error: 403", 'credentials'],
  ["fatal: unable to access 'https://a.example/': Could not resolve host: a.example", 'offline'],
  ["fatal: '/x' does not appear to be a git repository", 'offline'],
  ["fatal: Unable to create '/x/.git/index.lock': File exists.", 'locked'],
  [
    "fatal: cannot lock ref 'refs/heads/main': Unable to create '/x/.git/refs/heads/main.lock': File exists.",
    'locked',
  ],
  ["error: cannot lock ref 'refs/remotes/origin/main': is at 29f7beda but expected b89c232a", 'locked'],
  ["fatal: detected dubious ownership in repository at '/x'", 'broken'],
])('the error “%s” is trouble with %s', (stderr, kind) => {
  const trouble = troubleFrom(stderr);
  expect(trouble.kind).toBe(kind);
  expect(trouble.words).toMatch(/\.$|\S$/);
});

test('the words show no password of a URL', () => {
  expect(troubleFrom("fatal: repository 'https://me:secret@a.example/x' not found").words).not.toContain(
    'secret',
  );
});

test('a commit has the owner’s name from git’s settings, or the name from Porchlight', () => {
  const own = new Map([
    ['user.name', 'Ann'],
    ['user.email', 'ann@example.com'],
  ]);
  expect(identityFrom(own, 'Other')).toMatchObject({
    GIT_AUTHOR_NAME: 'Ann',
    GIT_COMMITTER_EMAIL: 'ann@example.com',
  });
  expect(identityFrom(new Map(), 'A <b>\n')).toMatchObject({ GIT_AUTHOR_NAME: 'A  b' });
  expect(identityFrom(new Map(), '')).toMatchObject({ GIT_COMMITTER_NAME: 'Porchlight' });
});

test('the refs of two targets never lie below each other', () => {
  expect(refsOf({ branch: 'b/c', remote: 'a' }).tip).toBe('refs/porchlight/tip/remote/a/b%2Fc');
  expect(refsOf({ branch: 'c', remote: 'a/b' }).tip).toBe('refs/porchlight/tip/remote/a%2Fb/c');
  for (const branch of ['', '-x', 'a b', 'a..b', 'a/.b', 'a.lock', 'a:b', '@', 'a//b', 'a\n'])
    expect(() => refsOf({ branch, remote: null }), branch).toThrow('branch');
});

test('files that are the same file on some system can’t be in one commit', () => {
  for (const files of [
    ['a', 'A'],
    ['é', 'e\u0301'],
    ['a', 'a/b'],
    ['A/c', 'a'],
    ['.git/a'],
    ['a/GIT~1/b'],
    ['.git ./a'],
    ['.git:x/a'],
    ['.\uFEFFgit/a'],
    ['a/..'],
    ['a\\b'],
  ])
    expect(() => requireFileNames(files), files.join()).toThrow();
  expect(() =>
    requireFileNames(['a/b', 'a/c', 'ab', '.gitignore', '.github/a', 'a.git/b', 'git/~1', 'a b. c']),
  ).not.toThrow();
});
