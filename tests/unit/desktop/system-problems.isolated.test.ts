import { beforeEach, expect, test, vi } from 'vitest';
import { onNotificationsFailed, showLoss } from '../../../src-main/desktop/notification.ts';
import { sandboxProblem } from '../../../src-main/desktop/system-problems.ts';
import { canInstall } from '../../../src-main/desktop/updates.ts';

const system = vi.hoisted(() => ({
  isPackaged: true,
  switches: [] as string[],
  fail: undefined as (() => void) | undefined,
}));

vi.mock('electron', () => ({
  app: {
    get isPackaged() {
      return system.isPackaged;
    },
    commandLine: { hasSwitch: (name: string) => system.switches.includes(name) },
  },
  shell: {},
  Notification: class {
    static isSupported = () => true;
    on(event: string, listener: () => void) {
      if (event === 'failed') system.fail = listener;
    }
    show() {}
    close() {}
  },
}));

beforeEach(() => {
  system.isPackaged = true;
  system.switches = [];
});

test('a notification that the system refuses to show is reported', () => {
  const report = vi.fn();
  onNotificationsFailed(report);
  showLoss('One revocation was not saved.');
  expect(report).not.toHaveBeenCalled();
  system.fail?.();
  expect(report).toHaveBeenCalledOnce();
});

test('an installed app that runs without Chromium’s sandbox says so, and one with a sandbox says nothing', () => {
  expect(sandboxProblem()).toBeUndefined();
  system.switches = ['no-sandbox'];
  expect(sandboxProblem()?.message).toContain('without --no-sandbox');
  vi.stubEnv('APPIMAGE', '/home/me/Porchlight.AppImage');
  vi.stubEnv('APPDIR', process.execPath.slice(0, process.execPath.lastIndexOf('/')));
  expect(sandboxProblem()).toMatchObject({ code: 'no_sandbox' });
  expect(sandboxProblem()?.message).toContain('Debian package (deb)');
  vi.unstubAllEnvs();
  system.isPackaged = false;
  expect(sandboxProblem()).toBeUndefined();
});

const signed = 'Authority=Developer ID Application: Ada Marlow (AAAAAAAAAA)\nTeamIdentifier=AAAAAAAAAA\n';

test.each([
  ['darwin', signed, true],
  ['darwin', 'Signature=adhoc\nTeamIdentifier=not set\n', false],
  ['win32', '', true],
  ['linux', '', false],
] as const)(
  'a package on %s whose signature is %j can replace itself: %s',
  async (platform, about, expected) => {
    expect(await canInstall(platform, () => Promise.resolve(about))).toBe(expected);
  },
);

test('an app whose signature can’t be read doesn’t replace itself', async () => {
  expect(await canInstall('darwin', () => Promise.reject(new Error('no codesign')))).toBe(false);
});
