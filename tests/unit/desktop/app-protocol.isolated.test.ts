import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';

vi.mock('electron', () => ({ protocol: {} }));
const { fileOf } = await import('../../../src-main/desktop/app-protocol.ts');

describe('what app:// serves', () => {
  test.each([
    ['app://porchlight/', ['index.html']],
    ['app://porchlight/index.html#/sign-ins?id=1', ['index.html']],
    ['app://porchlight/assets/index-Ab_1.js?v=2', ['assets', 'index-Ab_1.js']],
    ['app://porchlight/%2e%2e/%2e%2e/package.json', ['package.json']],
  ])('%s is a file of the window', (address, names) => {
    expect(fileOf(address)).toEqual(names);
  });

  test.each([
    'app://elsewhere/index.html',
    'app://porchlight:80/index.html',
    'https://porchlight/index.html',
    'file:///index.html',
    'app://porchlight//index.html',
    'app://porchlight/assets/',
    'app://porchlight/..%2fmain%2fdesktop.js',
    'app://porchlight/..%5cmain',
    'app://porchlight/a%00.html',
    'app://porchlight/.env',
    'app://porchlight/c:/windows/x.html',
    'app://porchlight/a..b/x.js',
    'nonsense',
  ])('%s is nothing', (address) => {
    expect(fileOf(address)).toBeUndefined();
  });

  test('no address leads out of the folder of the window', () => {
    const piece = fc.oneof(
      fc.constantFrom('..', '.', '%2e%2e', '%2f', '\\', '/', '%5c', '%00', 'C:', '~', 'a', '.js'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const names = fileOf(`app://porchlight/${pieces.join('/')}`) ?? [];
        return names.every((name) => /^[\w-][\w.-]*$/.test(name) && name !== '..');
      }),
    );
  });
});
