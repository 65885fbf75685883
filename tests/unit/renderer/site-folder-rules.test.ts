import { describe, expect, test } from 'vitest';
import { siteNameOf } from '../../../src-renderer/client/own-site.ts';
import {
  faultyField,
  gitWayOf,
  settingsOfWay,
  suggestions,
} from '../../../src-renderer/features/settings/site-folder/folder-rules.ts';
import { foundIn, hugoFolder, noFolder } from '../../support/window-folder-handlers.ts';

describe('the way into git', () => {
  test.each(['push', 'commit', 'files'] as const)('%s survives being saved', (way) => {
    expect(gitWayOf({ ...hugoFolder, ...settingsOfWay(way) })).toBe(way);
  });

  test('nothing is pushed that is not committed', () => {
    expect(gitWayOf({ ...hugoFolder, commit: false, push: true })).toBe('files');
    expect(settingsOfWay('files')).toEqual({ commit: false, push: false });
  });
});

describe('the field that an error is about', () => {
  test('is the only one that changed since the last valid settings', () => {
    expect(faultyField({ ...hugoFolder, postFile: '../x' }, hugoFolder)).toBe('postFile');
    expect(faultyField({ ...hugoFolder, baseUrl: 'x', branch: '' }, hugoFolder)).toBeUndefined();
    expect(faultyField({ ...hugoFolder, adopt: true }, hugoFolder)).toBeUndefined();
  });

  test('is the first empty one that posts need, while no settings have been valid', () => {
    expect(faultyField(noFolder, null)).toBe('baseUrl');
    expect(faultyField({ ...hugoFolder, postUrl: '' }, null)).toBe('postUrl');
    expect(faultyField({ ...hugoFolder, mediaFile: '' }, null)).toBe('mediaFile');
    expect(faultyField({ ...hugoFolder, mediaFile: '', media: 'porch' }, null)).toBeUndefined();
  });
});

test('the suggestions of a folder are those that differ from the form', () => {
  const found = foundIn(hugoFolder.path);
  expect(suggestions(found, hugoFolder)).toEqual({});
  expect(suggestions(found, { ...hugoFolder, generator: 'zola', on: false })).toEqual({ generator: 'hugo' });
});

describe('the site where posts appear', () => {
  test.each([
    ['its folder is on', hugoFolder, 'https://porch.example', 'marlow.example'],
    ['its folder is off', { ...hugoFolder, on: false }, 'https://porch.example', 'porch.example'],
    ['only this computer reaches it', noFolder, 'http://127.0.0.1:4711', '127.0.0.1:4711'],
    ['it has no address yet', noFolder, '', 'your site'],
  ] as const)('is named, also if %s', (_, folder, baseUrl, name) => {
    expect(siteNameOf(folder, baseUrl)).toBe(name);
  });
});
