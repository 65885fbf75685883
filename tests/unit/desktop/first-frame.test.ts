import { EventEmitter } from 'node:events';
import type { BrowserWindow } from 'electron';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { onFirstFrame } from '../../../src-main/desktop/first-frame.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function newWindow() {
  const webContents = new EventEmitter();
  let isDestroyed = false;
  const window = Object.assign(new EventEmitter(), { webContents, isDestroyed: () => isDestroyed });
  const show = vi.fn();
  onFirstFrame(window as unknown as BrowserWindow, show);
  return { window, webContents, show, destroy: () => (isDestroyed = true) };
}

test('a window is shown as soon as its page is drawn, and not again later', () => {
  const { window, webContents, show } = newWindow();
  expect(show).not.toHaveBeenCalled();
  window.emit('ready-to-show');
  expect(show).toHaveBeenCalledOnce();
  webContents.emit('did-finish-load');
  vi.advanceTimersByTime(10_000);
  expect(show).toHaveBeenCalledOnce();
});

test('a window whose page is loaded but never drawn is shown after two seconds', () => {
  const { window, webContents, show } = newWindow();
  webContents.emit('did-finish-load');
  vi.advanceTimersByTime(1999);
  expect(show).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(show).toHaveBeenCalledOnce();
  // Showing the window makes it draw.
  window.emit('ready-to-show');
  expect(show).toHaveBeenCalledOnce();
});

test('a window that is gone by then is left alone', () => {
  const { webContents, show, destroy } = newWindow();
  webContents.emit('did-finish-load');
  destroy();
  vi.advanceTimersByTime(2000);
  expect(show).not.toHaveBeenCalled();
});
