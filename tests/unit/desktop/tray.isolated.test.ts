import type { MenuItemConstructorOptions } from 'electron';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { OwnerApi, Reply } from '../../../src-main/contract/contract.ts';
import { startTray } from '../../../src-main/desktop/tray.ts';

const screen = vi.hoisted(() => ({
  menu: [] as MenuItemConstructorOptions[],
  clicks: [] as (() => void)[],
}));
vi.mock('electron', () => ({
  Menu: { buildFromTemplate: (template: unknown) => template },
  nativeImage: { createFromPath: (path: string) => path },
  Tray: class {
    isDestroyed() {
      return false;
    }
    on(_event: 'click', click: () => void) {
      screen.clicks.push(click);
    }
    setImage() {}
    setToolTip() {}
    setContextMenu(menu: MenuItemConstructorOptions[]) {
      screen.menu = menu;
    }
    destroy() {}
  },
}));

const labels = () => screen.menu.map(({ label }) => label);
const refusal: Reply = { error: { code: 'keychain_unavailable', message: 'It is locked.' } };
const stored: Reply = { result: { tokenStored: true, progress: null } };

/** The tray of a service whose keychain answers so, in turn. */
async function trayWith({ open = vi.fn() }: { open?: () => void }, ...keychain: Promise<Reply>[]) {
  const status = { server: 'on', words: 'On', baseUrl: 'https://me.example', port: 1, waiting: 0 };
  const answers: Partial<Record<string, unknown>> = {
    'status.get': status,
    'settings.get': { desktop: { startAtLogin: false } },
    'webmentions.list': { items: [] },
  };
  const owner: OwnerApi = {
    call: (method) =>
      method === 'webmentions.importState'
        ? (keychain.shift() ?? Promise.reject(new Error('asked once too often')))
        : Promise.resolve({ result: answers[method] }),
    subscribe: () => () => undefined,
  };
  const unused = vi.fn();
  return startTray({
    owner,
    resources: '',
    actions: {
      copyAddress: unused,
      open,
      write: unused,
      signIns: unused,
      heldMentions: unused,
      quit: unused,
    },
    showTest: unused,
    failed: unused,
  });
}

test.each([
  ['win32', 1],
  ['linux', 0],
  ['darwin', 0],
] as const)('on %s, a left click on the icon opens the window %i times', async (platform, times) => {
  screen.clicks = [];
  const given = Object.getOwnPropertyDescriptor(process, 'platform')!;
  Object.defineProperty(process, 'platform', { ...given, value: platform });
  try {
    const open = vi.fn();
    const tray = await trayWith({ open }, Promise.resolve(stored));
    for (const click of screen.clicks) click();
    expect(open).toHaveBeenCalledTimes(times);
    tray.remove();
  } finally {
    Object.defineProperty(process, 'platform', given);
  }
});

describe('the tray is available', () => {
  beforeEach(() => {
    screen.menu = [];
  });

  test.each([
    ['hangs', () => new Promise<Reply>(() => undefined)],
    ['is locked', () => Promise.resolve(refusal)],
  ])('while the keychain %s, without “Import now”', async (_how, answer) => {
    const tray = await trayWith({}, answer());
    await new Promise(setImmediate);
    expect(labels()).toContain('Quit');
    expect(labels()).not.toContain('Import now');
    tray.remove();
  });

  test('with “Import now” once the keychain has a token', async () => {
    const tray = await trayWith({}, Promise.resolve(refusal), Promise.resolve(stored));
    await new Promise(setImmediate);
    tray.refresh();
    await expect.poll(labels).toContain('Import now');
    tray.remove();
  });
});
