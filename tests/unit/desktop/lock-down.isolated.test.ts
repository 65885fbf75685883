import { expect, test, vi } from 'vitest';

vi.mock('electron', () => ({ app: {}, session: {}, shell: {} }));
const { mayHave, maySave } = await import('../../../src-main/desktop/lock-down.ts');

test('only Porchlight’s own page may write to the clipboard', () => {
  expect(mayHave('clipboard-sanitized-write', 'app://porchlight')).toBe(true);
  expect(mayHave('clipboard-sanitized-write', 'app://porchlight/')).toBe(true);
});

test.each(['https://porchlight', 'app://elsewhere', 'app://porchlight.evil', 'null', ''])(
  'a page at %j may not',
  (origin) => {
    expect(mayHave('clipboard-sanitized-write', origin)).toBe(false);
  },
);

test.each(['clipboard-read', 'geolocation', 'media', 'notifications', 'openExternal', 'fullscreen', 'hid'])(
  'nobody has %s',
  (permission) => {
    expect(mayHave(permission, 'app://porchlight')).toBe(false);
  },
);

test('only Porchlight’s own page may save files, and only those that it made itself', () => {
  expect(maySave('blob:app://porchlight/1-2-3', 'app://porchlight/index.html')).toBe(true);
  expect(maySave('https://a.example/x.exe', 'app://porchlight/index.html')).toBe(false);
  expect(maySave('data:text/plain,x', 'app://porchlight/index.html')).toBe(false);
  expect(maySave('blob:app://porchlight.evil/1', 'app://porchlight/index.html')).toBe(false);
  expect(maySave('blob:app://porchlight/1', 'https://a.example/')).toBe(false);
  expect(maySave('blob:app://porchlight/1', '')).toBe(false);
});
