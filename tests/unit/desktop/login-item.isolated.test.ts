import { dirname } from 'node:path';
import type { LoginItemSettings, Settings } from 'electron';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { loginItem, quotedForWindows } from '../../../src-main/desktop/login-item.ts';

const system = vi.hoisted(() => ({
  run: new Map<string, { path: string; enabled: boolean }>(),
  takes: true,
}));
const modelId = 'net.porchlight.desktop';
// Electron's rules for Windows: the entry is written under its name, `openAtLogin` looks under the app's model ID, and
// all entries of this program are listed.
vi.mock('electron', () => ({
  app: {
    isPackaged: true,
    setLoginItemSettings({ name = modelId, path = '', openAtLogin = false, enabled = true }: Settings) {
      if (!openAtLogin) system.run.delete(name);
      else system.run.set(name, { path, enabled: enabled && system.takes });
    },
    getLoginItemSettings({ path = '' }: { path?: string } = {}): Pick<
      LoginItemSettings,
      'openAtLogin' | 'launchItems'
    > {
      const items = [...system.run].filter(([, item]) => item.path === path);
      return {
        openAtLogin: items.some(([name]) => name === modelId),
        launchItems: items.map(([name, item]) => ({ name, ...item, args: [], scope: 'user' })),
      };
    },
  },
}));

beforeEach(() => {
  system.run.clear();
  system.takes = true;
});

test.each(['FLATPAK_ID', 'SNAP'])(
  'inside %s, start at login names the system’s own settings',
  async (name) => {
    vi.stubEnv(name, name === 'SNAP' ? dirname(process.execPath) : 'net.porchlight.desktop');
    try {
      await expect(loginItem(undefined, 'linux').set(true)).rejects.toThrow('in your system settings');
    } finally {
      vi.unstubAllEnvs();
    }
  },
);

test.each([
  ['D:\\', '"D:\\\\"'],
  ['C:\\My data', '"C:\\My data"'],
])('on a command line of Windows, %s becomes %s', (path, quoted) => {
  expect(quotedForWindows(path)).toBe(quoted);
});

describe('start at login on Windows', () => {
  test('can be turned on and off, each data folder for itself', async () => {
    const [usual, other] = [loginItem(undefined, 'win32'), loginItem('C:\\Other', 'win32')];
    expect(await usual.isOn()).toBe(false);
    await usual.set(true);
    expect(await usual.isOn()).toBe(true);
    expect(await other.isOn()).toBe(false);
    await other.set(true);
    await usual.set(false);
    expect(await usual.isOn()).toBe(false);
    expect(await other.isOn()).toBe(true);
  });

  test('is off where its owner turned it off in the system', async () => {
    const item = loginItem(undefined, 'win32');
    await item.set(true);
    for (const entry of system.run.values()) entry.enabled = false;
    expect(await item.isOn()).toBe(false);
  });

  test('leaves nothing behind if the system refuses it', async () => {
    system.takes = false;
    await expect(loginItem(undefined, 'win32').set(true)).rejects.toThrow('The system refused the change');
    expect([...system.run.keys()]).toEqual([]);
  });
});

describe('start at login on macOS', () => {
  test('can be turned on and off', async () => {
    const item = loginItem(undefined, 'darwin');
    await item.set(true);
    expect(await item.isOn()).toBe(true);
    await item.set(false);
    expect(await item.isOn()).toBe(false);
  });

  test('is refused with a message for another data folder, and leaves the item of the usual one unchanged', async () => {
    await loginItem(undefined, 'darwin').set(true);
    const item = loginItem('/Volumes/other', 'darwin');
    expect(await item.isOn()).toBe(false);
    await expect(item.set(true)).rejects.toThrow('its default data folder');
    await item.set(false);
    expect(await loginItem(undefined, 'darwin').isOn()).toBe(true);
  });
});
