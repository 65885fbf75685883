import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { appImage, startAgain } from '../../../src-main/desktop/ending.ts';

const relaunch = vi.hoisted(() => vi.fn());
vi.mock('electron', () => ({ app: { relaunch } }));

const image = '/home/me/Porchlight-1.0.0.AppImage';
const insideImage = { APPDIR: '/tmp/.mount_PorchlABC', APPIMAGE: image };

/** This process, as the app that was started so. */
function startedAs(argv: readonly string[], env: Record<string, string> = {}): void {
  vi.stubGlobal('process', { ...process, argv: [...argv], execPath: argv[0], env });
}

afterEach(() => {
  vi.unstubAllGlobals();
  relaunch.mockReset();
});

describe('starting again', () => {
  test('keeps the arguments: the same folder, and no window if none was wanted', () => {
    startedAs(['/opt/Porchlight/porchlight', '--data', '/x', '--no-open']);
    startAgain({ show: false });
    expect(relaunch.mock.calls).toEqual([[{ args: ['--data', '/x', '--no-open'] }]]);
  });

  test('of an AppImage starts the file, with the same arguments', () => {
    startedAs(['/tmp/.mount_PorchlABC/porchlight', '--no-open', '--data', '/x'], insideImage);
    startAgain({ show: false });
    expect(relaunch.mock.calls).toEqual([[{ execPath: image, args: ['--no-open', '--data', '/x'] }]]);
  });

  test('brings the window to the owner who asked, also after a start at login', () => {
    startedAs(['/tmp/.mount_PorchlABC/porchlight', '--no-open', '--data', '/x'], insideImage);
    startAgain({ show: true });
    expect(relaunch.mock.calls).toEqual([[{ execPath: image, args: ['--data', '/x'] }]]);
  });
});

describe('the AppImage that this is', () => {
  test.each([
    ['none', '/opt/Porchlight/porchlight', {}],
    ['another program’s, around the terminal', '/opt/Porchlight/porchlight', insideImage],
    ['another program’s, with a longer name', '/tmp/.mount_PorchlABC2/porchlight', insideImage],
    ['none that is unpacked', '/opt/Porchlight/porchlight', { APPIMAGE: image }],
  ])('is none of ours: %s', (_what, execPath, env) => {
    expect(appImage({ execPath, env })).toBeUndefined();
  });

  test('is found if the temporary folder is a link', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'porchlight-appimage-'));
    try {
      await mkdir(join(folder, 'real'));
      await symlink(join(folder, 'real'), join(folder, 'link'));
      const env = { APPDIR: join(folder, 'link'), APPIMAGE: image };
      expect(appImage({ execPath: join(folder, 'real'), env })).toBeUndefined();
      await mkdir(join(folder, 'real', 'porchlight'));
      expect(appImage({ execPath: join(folder, 'real', 'porchlight'), env })).toBe(image);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
