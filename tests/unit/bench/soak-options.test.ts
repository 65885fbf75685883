import { expect, test } from 'vitest';
import { readSoakOptions, soakHelp } from '../../bench/soak/options.ts';

test('without options, the soak loads the headless server for three minutes', () => {
  expect(readSoakOptions([])).toEqual({
    minutes: 3,
    desktop: false,
    help: false,
    kills: undefined,
    powerLosses: undefined,
    drains: undefined,
    folderKills: undefined,
    seed: undefined,
  });
});

test('kills, power losses, drains and a seed are whole numbers', () => {
  expect(readSoakOptions(['--kills', '300', '--seed', '12'])).toMatchObject({ kills: 300, seed: 12 });
  expect(readSoakOptions(['--power', '60'])).toMatchObject({ powerLosses: 60 });
  expect(readSoakOptions(['--drains', '200'])).toMatchObject({ drains: 200, kills: undefined });
  expect(readSoakOptions(['--site-folder', '200'])).toMatchObject({ folderKills: 200 });
  expect(() => readSoakOptions(['--kills', 'many'])).toThrow('--kills takes a whole number, such as 200.');
  expect(() => readSoakOptions(['--power', '1.5'])).toThrow('--power takes a whole number');
});

test('options that contradict each other are refused', () => {
  for (const two of [
    ['--kills', '3', '--power', '3'],
    ['--drains', '3', '--kills', '3'],
    ['--site-folder', '3', '--power', '3'],
  ])
    expect(() => readSoakOptions(two)).toThrow(
      'Use only one of --kills, --power, --drains and --site-folder.',
    );
  expect(() => readSoakOptions(['--seed', '3'])).toThrow('--seed belongs to --kills or --power.');
  expect(() => readSoakOptions(['--minutes', '0'])).toThrow('--minutes takes a number');
});

test('the help names every option', () => {
  for (const name of ['minutes', 'desktop', 'kills', 'power', 'drains', 'site-folder', 'seed', 'help'])
    expect(soakHelp).toContain(`--${name}`);
});
