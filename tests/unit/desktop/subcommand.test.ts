import { expect, test } from 'vitest';
import { subcommandOf } from '../../../src-main/desktop/subcommand.ts';

const packaged = (...args: string[]) => subcommandOf(['/usr/bin/porchlight', ...args], undefined);

test.each([
  [['status'], ['status']],
  [
    ['post', 'Hello', '--photo', 'cat.jpg'],
    ['post', 'Hello', '--photo', 'cat.jpg'],
  ],
  [
    ['help', 'post'],
    ['help', 'post'],
  ],
  [
    ['completion', 'zsh'],
    ['completion', 'zsh'],
  ],
  [['--version'], ['--version']],
  [
    ['--no-sandbox', 'status', '--json'],
    ['status', '--json'],
  ],
])('%j is a command', (args, commandLine) => expect(packaged(...args)).toEqual(commandLine));

test.each([
  [[]],
  [['--no-sandbox']],
  [['--no-open']],
  [['--data', 'status']],
  [['--', 'status']],
  [['--', 'porchlight://sign-ins']],
  [['porchlight:status']],
  [['toString']],
])('%j starts the app', (args) => expect(packaged(...args)).toBeUndefined());

test('where Electron is given the app’s folder, the command follows it', () => {
  const at = (...args: string[]) => subcommandOf(['/opt/electron', ...args], '/src/porchlight');
  expect(at('/src/porchlight', 'status')).toEqual(['status']);
  expect(at('--require', 'x.cjs', '/src/porchlight', 'status')).toEqual(['status']);
  expect(at('/src/porchlight', '--data', 'x')).toBeUndefined();
  expect(at('status')).toBeUndefined();
});
