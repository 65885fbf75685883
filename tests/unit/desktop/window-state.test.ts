import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keepWindowState, startBounds } from '../../../src-main/desktop/window-state.ts';

const display = { x: 0, y: 0, width: 1920, height: 1080 };
const usual = { width: 1100, height: 760 };

describe('the place of the window', () => {
  test('is its last place', () => {
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

  test('is the usual place at the first start', () => {
    expect(startBounds(undefined, [display])).toEqual(usual);
  });
});

describe('the window’s state', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'porchlight-window-'));
    file = join(folder, 'window.json');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const first = { bounds: undefined, maximized: false, zoom: 1, spelling: undefined };

  test('is the same after a restart', () => {
    const bounds = { x: 1, y: 2, width: 800, height: 600 };
    const state = keepWindowState(file);
    expect(state.now()).toEqual(first);
    state.change({ bounds, maximized: true });
    state.change({ zoom: 1.25 });
    state.change({ spelling: false });
    expect(keepWindowState(file).now()).toEqual({ bounds, maximized: true, zoom: 1.25, spelling: false });
  });

  test('of an earlier version has its size', () => {
    writeFileSync(file, '{"x":1,"y":2,"width":800,"height":600}');
    expect(keepWindowState(file).now()).toEqual({
      ...first,
      bounds: { x: 1, y: 2, width: 800, height: 600 },
    });
  });

  test.each([
    '',
    '{"x":',
    'null',
    '7',
    '[]',
    '{"x":0,"y":0,"width":"9","height":9,"zoom":"2","maximized":1}',
  ])('is that of a first start where %j was written', (text) => {
    writeFileSync(file, text);
    expect(keepWindowState(file).now()).toEqual(first);
  });

  test.each([
    [-4, 0.5],
    [1.13, 1.1],
    [1e9, 3],
  ])('takes the nearest zoom for %d', (zoom, step) => {
    writeFileSync(file, JSON.stringify({ zoom }));
    expect(keepWindowState(file).now().zoom).toBe(step);
  });

  test('is not missed if it cannot be written', () => {
    const state = keepWindowState(join(folder, 'nowhere', 'window.json'));
    expect(() => state.change({ zoom: 2 })).not.toThrow();
    expect(state.now().zoom).toBe(2);
  });
});
