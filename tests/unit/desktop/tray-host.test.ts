import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hasTrayHost } from '../../../src-main/desktop/tray-menu.ts';

const answering = (answers: Record<string, string>) => (command: string) =>
  command in answers ? Promise.resolve(answers[command]!) : Promise.reject(new Error('ENOENT'));

describe('whether the desktop shows tray icons', () => {
  test.each([
    ['gdbus', '(true,)\n', true],
    ['gdbus', '(false,)\n', false],
    ['dbus-send', 'method return time=1.2 sender=x\n   boolean true\n', true],
    ['busctl', 'b false\n', false],
  ])('%s says %j', async (command, answer, expected) => {
    expect(await hasTrayHost('linux', answering({ [command]: answer }))).toBe(expected);
  });

  test('is absent if the system cannot tell', async () => {
    expect(await hasTrayHost('linux', answering({}))).toBe(false);
    expect(await hasTrayHost('linux', answering({ gdbus: '' }))).toBe(false);
  });

  test.each(['darwin', 'win32'] as const)('is not asked on %s', async (platform) => {
    expect(await hasTrayHost(platform, () => Promise.reject(new Error('asked')))).toBe(true);
  });
});

test('the pinned Electron does not lose the tray on GNOME, Cinnamon and XFCE', () => {
  const file = new URL('../../../package.json', import.meta.url);
  const { devDependencies } = JSON.parse(readFileSync(file, 'utf8')) as {
    devDependencies: { electron: string };
  };
  expect(devDependencies.electron).toMatch(/^\d+\.\d+\.\d+$/);
  expect(devDependencies.electron).not.toMatch(/^(43\.3\.\d+|43\.4\.[0-2]|44\.0\.0)$/);
});
