import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readBounds, startBounds, writeBounds } from '../../../src-main/desktop/bounds.ts';

const display = { x: 0, y: 0, width: 1920, height: 1080 };
const usual = { width: 1100, height: 760 };

describe('where the window opens', () => {
  test('is where it was', () => {
    const bounds = { x: 50, y: 60, width: 900, height: 700 };
    expect(startBounds(bounds, [display])).toEqual(bounds);
  });

  test('is on a second display, left of the first', () => {
    const bounds = { x: -1500, y: 20, width: 900, height: 700 };
    expect(startBounds(bounds, [display, { ...display, x: -1920 }])).toEqual(bounds);
    expect(startBounds(bounds, [display])).toEqual(usual);
  });

  test.each([
    { x: 1900, y: 0, width: 900, height: 700 },
    { x: 0, y: 1060, width: 900, height: 700 },
    { x: 0, y: -400, width: 900, height: 700 },
  ])('is never out of reach: %j', (bounds) => {
    expect(startBounds(bounds, [display])).toEqual(usual);
  });

  test('is never too small to use', () => {
    expect(startBounds({ x: 0, y: 0, width: 10, height: 10 }, [display])).toEqual({
      x: 0,
      y: 0,
      width: 640,
      height: 480,
    });
  });

  test.each([undefined, null, 7, {}, [], { x: 0, y: 0, width: '9', height: 9 }, { x: 0.5, y: 0, width: 9 }])(
    'is the usual place where %j was remembered',
    (remembered) => {
      expect(startBounds(remembered, [display])).toEqual(usual);
    },
  );
});

describe('the file that remembers', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'porchlight-bounds-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test('gives back what was written', () => {
    const file = join(folder, 'window.json');
    const bounds = { x: 1, y: 2, width: 800, height: 600 };
    writeBounds(file, bounds);
    expect(readBounds(file)).toEqual(bounds);
  });

  test('is not missed where it is damaged, absent or not writable', () => {
    const file = join(folder, 'window.json');
    expect(readBounds(file)).toBeUndefined();
    writeFileSync(file, '{"x":');
    expect(readBounds(file)).toBeUndefined();
    expect(() => {
      writeBounds(join(folder, 'nowhere', 'window.json'), { x: 0, y: 0, width: 1, height: 1 });
    }).not.toThrow();
  });
});
