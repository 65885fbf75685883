import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  autostartEntry,
  autostartFile,
  autostartPath,
  startsAtLogin,
} from '../../../src-main/desktop/start-at-login.ts';

describe('the entry that starts the app at login', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'porchlight-autostart-'));
    file = autostartPath('porchlight', { XDG_CONFIG_HOME: folder });
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });
  const put = async (text: string) => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  };

  test('is in the folder that desktops read, whether a folder is named or not', () => {
    expect(file).toBe(join(folder, 'autostart', 'porchlight.desktop'));
    expect(autostartPath('porchlight', { XDG_CONFIG_HOME: 'relative', HOME: '/home/o' })).toBe(
      '/home/o/.config/autostart/porchlight.desktop',
    );
  });

  test('quotes the command as the Desktop Entry Specification asks', () => {
    const entry = autostartEntry(['/opt/My "App"/$x`\\%', '--no-open']);
    expect(entry).toContain('\nExec="/opt/My \\\\"App\\\\"/\\\\$x\\\\`\\\\\\\\%%" "--no-open"\n');
  });

  test('cannot be made to hold a second line', () => {
    expect(() => autostartEntry(['/opt/app\nExec=/bin/sh'])).toThrow('line break');
  });

  test('exists while it is on, and is deleted when it is off', async () => {
    const item = autostartFile(file, ['/opt/porchlight']);
    expect(await item.isOn()).toBe(false);
    await item.set(true);
    expect(await item.isOn()).toBe(true);
    await item.set(false);
    expect(await item.isOn()).toBe(false);
    await item.set(false);
  });

  test.each(['Hidden=true', 'X-GNOME-Autostart-enabled=false'])(
    'counts as off with %s, as settings of desktops write it',
    (line) => {
      const entry = autostartEntry(['/opt/porchlight']).replace('X-GNOME-Autostart-enabled=true', line);
      expect(startsAtLogin(entry)).toBe(false);
    },
  );

  test('follows an app that moved, and is never put back by that', async () => {
    const moved = autostartFile(file, ['/opt/porchlight-2']);
    await moved.renew();
    expect(await moved.isOn()).toBe(false);
    await put(autostartEntry(['/opt/porchlight-1']));
    await moved.renew();
    expect(await readFile(file, 'utf8')).toBe(autostartEntry(['/opt/porchlight-2']));
  });
});
