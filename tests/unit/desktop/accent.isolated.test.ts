import { expect, test, vi } from 'vitest';
import { accentStyle } from '../../../src-main/desktop/page-window.ts';

vi.mock('electron', () => ({ systemPreferences: {} }));

test('an accent colour that stands out in light alone colours the focus ring there only', () => {
  expect(accentStyle('003e92ff')).toBe("[data-mantine-color-scheme='light']{--porchlight-focus:#003e92}");
});

test('one that stands out in the dark alone colours it there only', () => {
  expect(accentStyle('ffd60a')).toBe("[data-mantine-color-scheme='dark']{--porchlight-focus:#ffd60a}");
});

test.each(['808080ff', '', 'red', '#12345', '003e92;}body{display:none'])(
  'the window keeps its own colour if the system names %j',
  (accent) => {
    expect(accentStyle(accent)).toBe('');
  },
);
