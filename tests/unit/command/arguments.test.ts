import { describe, expect, test } from 'vitest';
import {
  checkWords,
  commandHelp,
  completionScript,
  generalHelp,
  readCommandLine,
} from '../../../src-main/command/command-line.ts';
import { commands } from '../../../src-main/command/commands.ts';
import { appProfile } from '../../../src-main/command/connection.ts';

describe('the command line', () => {
  test('has options before, between and after the words, and each may be repeated', () => {
    const { name, given } = readCommandLine(['--json', 'post', '--photo', 'a.png', 'Hi', '--photo=b.png']);
    expect(name).toBe('post');
    expect(given.words).toEqual(['Hi']);
    expect(given.values('photo')).toEqual(['a.png', 'b.png']);
    expect([given.flag('json'), given.flag('draft')]).toEqual([true, false]);
  });

  test('takes a text that looks like an option after two dashes', () => {
    expect(readCommandLine(['post', '--', '--draft']).given.words).toEqual(['--draft']);
  });

  test.each([
    ['an unknown command', ['stauts'], 'no command “stauts”'],
    ['a name that every object has', ['constructor'], 'no command “constructor”'],
    ['an unknown option', ['status', '--wat'], 'no option --wat'],
    ['an option of another command', ['status', '--photo', 'x'], 'no option --photo'],
    ['a value for a switch', ['status', '--json=1'], '--json takes no value'],
    ['a forgotten value', ['post', '--photo', '--draft'], '--photo needs a value'],
  ])('refuses %s', (_, argv, words) => {
    expect(() => readCommandLine(argv)).toThrow(expect.objectContaining({ exitCode: 2, code: 'usage' }));
    expect(() => readCommandLine(argv)).toThrow(words);
  });

  test.each([
    [['approve'], 'needs CODE'],
    [['approve', '1', '2'], 'one word too many'],
    [['post', 'two', 'words'], 'quotation marks'],
  ])('counts the words of %j', (argv, words) => {
    const { name = '', given } = readCommandLine(argv);
    expect(() => checkWords(name, given)).toThrow(words);
  });

  test('looks for the app where Electron keeps its profile', () => {
    expect(appProfile({ HOME: '/home/ann' }, 'linux')).toBe('/home/ann/.config/Porchlight');
    expect(appProfile({ HOME: '/home/ann', XDG_CONFIG_HOME: '/etc/ann' }, 'linux')).toBe(
      '/etc/ann/Porchlight',
    );
    expect(appProfile({ HOME: '/Users/ann' }, 'darwin')).toBe(
      '/Users/ann/Library/Application Support/Porchlight',
    );
  });
});

describe('help and completions', () => {
  test('name every command, option and exit code', () => {
    for (const [name, { options }] of Object.entries(commands)) {
      expect(generalHelp()).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
      for (const option of Object.keys(options)) expect(commandHelp(name)).toContain(`--${option}`);
      for (const shell of ['bash', 'zsh', 'fish'] as const) {
        expect(completionScript(shell)).toContain(name);
        for (const option of Object.keys(options)) expect(completionScript(shell)).toContain(option);
      }
    }
    for (const code of [0, 1, 2, 3, 4]) expect(generalHelp()).toMatch(new RegExp(`^  ${code}  `, 'm'));
  });

  test('fit a terminal of 100 columns', () => {
    const lines = [generalHelp(), ...Object.keys(commands).map(commandHelp)].join('\n').split('\n');
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
  });
});
