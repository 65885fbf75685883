import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GitConfigError, gitText, parseGitConfig } from '../../../src-main/platform/git-config-file.ts';
import { isHarmless, kindOf } from '../../../src-main/platform/git-setup.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';
import { limitOf } from '../../support/patience.ts';

const parse = (text: string) =>
  parseGitConfig(Buffer.from(text)).map(({ key, value }) => [
    gitText(key),
    value === null ? null : gitText(value),
  ]);

describe('a git configuration file', () => {
  test('is read by git’s rules of case, quotes, comments and continued lines', () => {
    expect(
      parse(
        [
          '\uFEFF; a comment\r\n[Core]\r\n\tBare = false # not bare\r\n  FSMonitor\r\n',
          '[Remote "Ori\\"gin"]URL="https://a.example/x;y" ; why\n',
          '[filter "a.b"] clean = "one  two"  three \\\n  four\\tfive  \n',
          '[old.Style] Key=\n',
        ].join(''),
      ),
    ).toEqual([
      ['core.bare', 'false'],
      ['core.fsmonitor', null],
      ['remote.Ori"gin.url', 'https://a.example/x;y'],
      ['filter.a.b.clean', 'one  two  three   four\tfive'],
      ['old.style.key', ''],
    ]);
    expect(parseGitConfig(Buffer.from('[a "b.c"]\nd = é'))).toMatchObject([
      { section: 'a', subsection: 'b.c', name: 'd' },
    ]);
    expect(parse('')).toEqual([]);
  });

  test.each([
    ['a key before any section', 'a = b\n', 1],
    ['an open header', '[core\nbare = true\n', 1],
    ['an empty header', '[]\n', 1],
    ['a subsection without quotes', '[remote origin]\n', 1],
    ['an open subsection', '[remote "a\n"]\n', 1],
    ['an open quotation', '[a]\nb = "c\n', 2],
    ['an unknown escape', '[a]\n\n b = \\x\n', 3],
    ['a name with other characters', '[a]\nb_c = d\n', 2],
    ['text after a name', '[a]\nb c\n', 2],
    ['a zero byte', '[a]\nb = https://a.example/\0x\n', 2],
    ['a lone carriage return', '[a]\nb = c\rd\n', 2],
    ['a control character', '[a]\n\u001b[31m\n', 2],
  ])('with %s is refused, with the number of the line', (_, text, line) => {
    expect(() => parse(text)).toThrow(GitConfigError);
    expect(() => parse(text)).toThrow(`Line ${line} `);
  });

  test('a git configuration file of hostile size is refused or read at once', () => {
    const started = performance.now();
    expect(() => parse(`[a]\n${'b = c\n'.repeat(20_000)}`)).toThrow(GitConfigError);
    for (const piece of ['\n', ' ', '[a]', '#', '\\\n', '"', '\t;']) {
      try {
        parse(`[a]\nb = ${piece.repeat(100_000)}`);
      } catch (error) {
        expect(error).toBeInstanceOf(GitConfigError);
      }
    }
    expect(performance.now() - started).toBeLessThan(limitOf(10_000));
  });

  test('any text of a git configuration file is read as git itself reads it, or is refused', async () => {
    const file = path.join(await temporaryFolder(), 'config');
    const char = fc.constantFrom(
      ...[
        'a',
        'B',
        '1',
        '-',
        '.',
        ' ',
        '\t',
        '"',
        '\\"',
        '\\\\',
        '\\n',
        '\\\n',
        '\\\r\n',
        '=',
        '#',
        ';',
        '[',
        ']',
        'é',
      ],
      ...['_', '\\', '\n', '\r\n', '\uFEFF', '"x  y"', '"#"'],
    );
    const value = fc.array(char, { maxLength: 6 }).map((chars) => chars.join(''));
    const header = fc.constantFrom(
      '[core]',
      '[a "b"]',
      '[A.b]',
      '[a "\\"."]',
      '[ ]',
      '[a "b" ]',
      '[a  "é]"]',
      '[1]',
    );
    const line = fc.oneof(
      fc.tuple(header, fc.constantFrom('\n', ' ', '\r\n', 'x=')).map((parts) => parts.join('')),
      fc
        .tuple(
          fc.constantFrom('key', 'Key-1', ' k'),
          fc.constantFrom('=', ' = ', '\t=', '', ' '),
          value,
          fc.constant('\n'),
        )
        .map((parts) => parts.join('')),
      value,
    );
    const texts = fc
      .sample(fc.array(line, { maxLength: 5 }), 500)
      .map((lines, index) => (index % 10 === 0 ? '' : '[core]\n') + lines.join(''));
    let read = 0;
    for (const text of texts) {
      let ours;
      try {
        ours = parse(text);
      } catch {
        // Refusing a file is always safe.
        continue;
      }
      writeFileSync(file, text);
      const args = ['config', '--file', file, '--no-includes', '--list', '-z'];
      const theirs = execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
      const shown = ours.map(([key, value]) => (value === null ? `${key}\0` : `${key}\n${value}\0`));
      // Older versions of git turn each tab in a value into a space.
      const plain = (one: string) => one.replaceAll('\t', ' ');
      expect(plain(shown.join('')), JSON.stringify(text)).toBe(plain(theirs));
      if (ours.length > 0) read += 1;
    }
    expect(read).toBeGreaterThan(20);
  }, 360_000);
});

describe('a setting of a repository', () => {
  const settingIn = (text: string) => {
    const [setting] = parseGitConfig(Buffer.from(text));
    if (setting === undefined) throw new Error('There is no setting.');
    return setting;
  };

  test.each([
    '[core]\nrepositoryformatversion = 0',
    '[core]\nbare = false',
    '[core]\nignoreCase = true',
    '[core]\nfsmonitor = false',
    '[remote "origin"]\nurl = https://git.example/a.git',
    '[remote "origin"]\nurl = ssh://git@git.example:22/a.git',
    '[remote "origin"]\nurl = git@git.example:ada/site.git',
    '[remote "origin"]\nfetch = +refs/heads/*:refs/remotes/origin/*',
    '[branch "main"]\nremote = origin',
    '[branch "main"]\nmerge = refs/heads/main',
    '[branch "a b"]\ndescription = Text',
    '[user]\nemail = ada@example.com',
    '[submodule "themes/x"]\nurl = https://git.example/x.git',
    '[lfs "https://git.example/info/lfs"]\naccess = basic',
  ])('that can name no program and no other place is harmless: %j', (text) => {
    expect(isHarmless(settingIn(text))).toBe(true);
  });

  test.each([
    ['[core]\nfsmonitor = true', 'program'],
    ['[core]\nsshCommand = x', 'connection'],
    ['[core]\nnewSetting = x', 'setting'],
    ['[core "a"]\nbare = true', 'setting'],
    ['[remote "origin"]\nurl = /srv/a.git', 'connection'],
    ['[remote "origin"]\nurl = file:///srv/a.git', 'connection'],
    ['[remote "origin"]\nurl = http://git.example/a.git', 'connection'],
    ['[remote "origin"]\nurl = git://git.example/a.git', 'connection'],
    ['[remote "origin"]\nurl = ext::sh', 'connection'],
    ['[remote "origin"]\nurl = https::evil', 'connection'],
    ['[remote "origin"]\nurl = ssh::git@git.example', 'connection'],
    ['[remote "origin"]\nurl = ssh://-oProxyCommand=x/a', 'connection'],
    ['[remote "origin"]\nurl = git@-oProxyCommand=x:a', 'connection'],
    ['[remote "origin"]\nurl = git@git.example:-oProxyCommand=x', 'connection'],
    ['[remote "origin"]\nurl = HTTPS://git.example/a', 'connection'],
    ['[remote "origin"]\nurl', 'connection'],
    ['[remote "origin"]\nuploadpack = x', 'connection'],
    ['[remote "origin"]\nreceivepack = x', 'connection'],
    ['[remote "origin"]\nvcs = x', 'connection'],
    ['[remote "origin"]\nproxy = x', 'connection'],
    ['[remote "origin"]\npromisor = true', 'connection'],
    ['[remote "../evil"]\nfetch = x', 'connection'],
    ['[remote "ext::sh -c x"]\nfetch = x', 'connection'],
    ['[branch "main"]\nremote = ext::sh', 'setting'],
    ['[branch "main"]\npushRemote = /srv/a', 'setting'],
    ['[submodule "a"]\nupdate = !sh', 'connection'],
    ['[lfs]\nurl = ssh://-x/', 'connection'],
    ['[include]\npath = a', 'place'],
    ['[includeIf "gitdir:x"]\npath = a', 'place'],
    ['[filter "a"]\nclean = x', 'filter'],
    ['[credential]\nhelper = x', 'connection'],
    ['[url "x"]\ninsteadOf = y', 'connection'],
    ['[gpg]\nprogram = x', 'program'],
    ['[alias]\nlfs = !x', 'program'],
    ['[http]\nsslVerify = false', 'connection'],
    ['[a]\nb = c', 'setting'],
  ])('that can name a program or another place, or that nobody knows, is not: %j', (text, kind) => {
    expect(isHarmless(settingIn(text))).toBe(false);
    expect(kindOf(settingIn(text))).toBe(kind);
  });
});
