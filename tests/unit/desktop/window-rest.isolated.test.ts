import { EventEmitter } from 'node:events';
import type { BrowserWindow } from 'electron';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { signalChannel } from '../../../src-main/desktop/channels.ts';
import { createWindow, createWriteWindow } from '../../../src-main/desktop/window.ts';
import type { KeptWindowState } from '../../../src-main/desktop/window-state.ts';

const made = vi.hoisted(() => ({ windows: [] as unknown[], create: undefined as unknown }));
vi.mock('electron', async () => {
  const { EventEmitter } = await import('node:events');
  return {
    app: { isPackaged: true },
    autoUpdater: new EventEmitter(),
    // `new` gives the object that a function returns.
    BrowserWindow: function create() {
      return (made.create as () => object)();
    },
    nativeTheme: { shouldUseDarkColors: false },
    screen: { getAllDisplays: () => [] },
  };
});

const minutes = (count: number) => vi.advanceTimersByTime(count * 60_000);
const start = 'app://porchlight/index.html';

/** A window without a screen. */
class TestWindow extends EventEmitter {
  url = '';
  isShown = false;
  isDown = false;
  isGone = false;
  readonly sent: unknown[] = [];
  readonly webContents = Object.assign(new EventEmitter(), {
    getURL: () => this.url,
    send: (channel: string, message: unknown) => void this.sent.push([channel, message]),
    setZoomFactor: () => undefined,
  });
  loadURL(url: string) {
    this.url = url;
    return Promise.resolve();
  }
  show() {
    this.isShown = true;
    this.emit('show');
  }
  hide() {
    this.isShown = false;
    this.emit('hide');
  }
  /** What the owner's click on the close button does. */
  close() {
    const preventDefault = vi.fn();
    this.emit('close', { preventDefault });
    if (preventDefault.mock.calls.length === 0) this.destroy();
  }
  destroy() {
    this.isGone = true;
    this.emit('closed');
  }
  isVisible = () => this.isShown;
  isMinimized = () => this.isDown;
  isDestroyed = () => this.isGone;
  isMaximized = () => false;
  getNormalBounds = () => ({ x: 0, y: 0, width: 800, height: 600 });
  restore = () => undefined;
  focus = () => undefined;
}

let rest: () => void;
const connect = vi.fn((_browser: BrowserWindow, agreed: () => void) => void (rest = agreed));
const windows = () => made.windows as TestWindow[];
const newest = () => windows().at(-1)!;
const asked = (window: TestWindow) =>
  window.sent.filter((sent) => JSON.stringify(sent) === JSON.stringify([signalChannel, { name: 'rest' }]));

function ownersWindow() {
  const state = { bounds: undefined, maximized: false, zoom: 1, spelling: undefined };
  const kept: KeptWindowState = { now: () => state, change: () => undefined };
  const window = createWindow({ preload: '', icon: '' }, kept, undefined, connect);
  return window;
}

/** Shows the window, and waits for its page. */
function shown() {
  const window = ownersWindow();
  window.show();
  newest().emit('ready-to-show');
  return window;
}

beforeEach(() => {
  vi.useFakeTimers();
  made.windows = [];
  made.create = () => {
    const window = new TestWindow();
    made.windows.push(window);
    return window;
  };
  connect.mockClear();
});
afterEach(() => void vi.useRealTimers());

describe('the owner’s window', () => {
  test('exists only once it is shown', () => {
    const window = ownersWindow();
    expect(windows()).toEqual([]);
    window.show('#/apps');
    expect(newest()).toMatchObject({ url: `${start}#/apps`, isShown: false });
    newest().emit('ready-to-show');
    expect(newest().isShown).toBe(true);
    expect(connect).toHaveBeenCalledOnce();
  });

  test('asks its page after ten minutes hidden, and closes when the page agrees', () => {
    shown();
    const first = newest();
    minutes(60);
    expect(asked(first)).toEqual([]);
    first.close();
    minutes(9.9);
    expect(asked(first)).toEqual([]);
    minutes(0.1);
    expect(asked(first)).toHaveLength(1);
    expect(first.isGone).toBe(false);
    rest();
    expect(first.isGone).toBe(true);
  });

  test('opens again at its last address, or at the requested one', () => {
    const window = shown();
    newest().url = `${start}#/posts?kind=note`;
    newest().close();
    rest();
    window.show();
    expect(newest().url).toBe(`${start}#/posts?kind=note`);
    newest().emit('ready-to-show');
    expect(newest().isShown).toBe(true);
    newest().close();
    rest();
    window.show('#/sign-ins?id=1');
    expect(newest().url).toBe(`${start}#/sign-ins?id=1`);
    expect(windows()).toHaveLength(3);
  });

  test('stays while its page doesn’t agree, and asks again', () => {
    const window = shown();
    newest().close();
    minutes(30);
    expect(asked(newest())).toHaveLength(3);
    window.show();
    expect(windows()).toHaveLength(1);
    minutes(60);
    expect(asked(newest())).toHaveLength(3);
  });

  test('stays if the owner has opened it since the page was asked, or sees it in the taskbar', () => {
    const window = shown();
    newest().close();
    minutes(10);
    window.show();
    rest();
    newest().isShown = false;
    newest().isDown = true;
    rest();
    expect(newest().isGone).toBe(false);
  });

  test('does not come back after an update has closed it', async () => {
    const { autoUpdater } = await import('electron');
    const window = shown();
    autoUpdater.emit('before-quit-for-update');
    newest().close();
    expect(newest().isGone).toBe(true);
    window.show();
    expect(windows()).toHaveLength(1);
    expect(window.parent()).toBeUndefined();
  });

  test('exists for a dialog that has to belong to it', () => {
    const window = shown();
    newest().close();
    rest();
    expect(window.parent()).toBe(newest());
    expect(window.parent()).toBe(newest());
    expect(windows()).toHaveLength(2);
  });
});

test('the window of the editor opens again at its post', () => {
  const writer = createWriteWindow({ preload: '', icon: '' }, () => 1, connect);
  writer.open();
  newest().emit('ready-to-show');
  newest().url += '?post=https%3A%2F%2Fa.example%2Fpost';
  const { url } = newest();
  newest().close();
  minutes(10);
  expect(asked(newest())).toHaveLength(1);
  rest();
  writer.open();
  expect(newest().url).toBe(url);
  newest().emit('ready-to-show');
  expect(newest().isShown).toBe(true);
  newest().url = `${start}?small#/posts`;
  newest().close();
  rest();
  writer.open();
  expect(newest().url).toBe(`${start}?small#/write`);
});
