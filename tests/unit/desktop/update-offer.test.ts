import type { MessageBoxOptions } from 'electron';
import { expect, test, vi } from 'vitest';
import { createOffers, restrain, type Updater } from '../../../src-main/desktop/update-offer.ts';

/** An updater that found a version, and an owner who presses these buttons in turn. */
function scene(
  found: { version: string; isNewer?: boolean; isFixed?: boolean } | null,
  ...presses: number[]
) {
  const updater = {
    // As electron-updater comes.
    autoDownload: true,
    autoInstallOnAppQuit: true,
    allowDowngrade: true,
    disableWebInstaller: false,
    forceDevUpdateConfig: false,
    requestHeaders: null,
    checkForUpdates: vi.fn<Updater['checkForUpdates']>(() =>
      Promise.resolve(
        found && { isUpdateAvailable: found.isNewer ?? true, updateInfo: { version: found.version } },
      ),
    ),
    downloadUpdate: vi.fn<Updater['downloadUpdate']>(() => Promise.resolve()),
    quitAndInstall: vi.fn<Updater['quitAndInstall']>(),
  } satisfies Updater;
  restrain(updater);
  const shown: MessageBoxOptions[] = [];
  const show = vi.fn((options: MessageBoxOptions) => {
    shown.push(options);
    return Promise.resolve(presses.shift() ?? options.cancelId ?? 0);
  });
  const failed = vi.fn();
  const openReleases = vi.fn();
  return {
    updater,
    shown,
    show,
    failed,
    openReleases,
    checkForUpdate: createOffers({
      updater,
      version: '1.0.0',
      canInstall: () => Promise.resolve(found?.isFixed !== true),
      openReleases,
      show,
      failed,
    }),
  };
}

test('an updater that is restrained does nothing unasked, goes to no older version and names no installation', () => {
  const { updater } = scene(null);
  expect(updater).toMatchObject({
    autoDownload: false,
    autoInstallOnAppQuit: false,
    allowDowngrade: false,
    disableWebInstaller: true,
    requestHeaders: { 'x-user-staging-id': '00000000-0000-0000-0000-000000000000' },
  });
});

test('nothing newer: nobody is disturbed', async () => {
  for (const found of [null, { version: '0.9.0', isNewer: false }]) {
    const { checkForUpdate, shown, updater } = scene(found);
    await checkForUpdate();
    expect(shown).toEqual([]);
    expect(updater.downloadUpdate).not.toHaveBeenCalled();
  }
});

test('a package that can’t replace itself says that there is a newer version, and downloads nothing', async () => {
  const { checkForUpdate, shown, updater, openReleases } = scene({ version: '1.1.0', isFixed: true }, 0);
  await checkForUpdate();
  await checkForUpdate();
  expect(shown).toHaveLength(1);
  expect(shown[0]).toMatchObject({
    message: 'Porchlight 1.1.0 is available',
    buttons: ['Open the download page', 'Not now'],
  });
  expect(shown[0]?.detail).toContain('You have version 1.0.0.');
  expect(openReleases).toHaveBeenCalledOnce();
  expect(updater.downloadUpdate).not.toHaveBeenCalled();
});

test('a newer version is offered with both versions, and turned down for the rest of this run', async () => {
  const { checkForUpdate, shown, updater } = scene({ version: '1.1.0' }, 1);
  await checkForUpdate();
  await checkForUpdate();
  expect(shown).toHaveLength(1);
  expect(shown[0]?.message).toContain('1.1.0');
  expect(shown[0]?.detail).toContain('1.0.0');
  expect(updater.downloadUpdate).not.toHaveBeenCalled();
  expect(updater.autoInstallOnAppQuit).toBe(false);
});

test('an owner who agrees gets it when the app quits', async () => {
  const { checkForUpdate, updater } = scene({ version: '1.1.0' }, 0, 1);
  updater.downloadUpdate.mockImplementation(() => {
    // electron-updater looks at it when the download is there.
    expect(updater.autoInstallOnAppQuit).toBe(true);
    return Promise.resolve();
  });
  await checkForUpdate();
  expect(updater.downloadUpdate).toHaveBeenCalledTimes(1);
  expect(updater.quitAndInstall).not.toHaveBeenCalled();
});

test('a dialog that does not open is logged, and the next check runs', async () => {
  const { checkForUpdate, show, failed, updater } = scene({ version: '1.1.0' }, 0);
  show.mockRejectedValueOnce(new Error('no display'));
  await checkForUpdate();
  expect(failed).toHaveBeenCalledExactlyOnceWith(new Error('no display'));
  await checkForUpdate();
  expect(updater.checkForUpdates).toHaveBeenCalledTimes(2);
});

test('or at once', async () => {
  const { checkForUpdate, updater } = scene({ version: '1.1.0' }, 0, 0);
  await checkForUpdate();
  expect(updater.quitAndInstall).toHaveBeenCalledTimes(1);
});

test('a download that does not match is reported, never installed, and can be tried again', async () => {
  const { checkForUpdate, updater, shown } = scene({ version: '1.1.0' }, 0, 0, 1);
  updater.downloadUpdate.mockRejectedValue(new Error('sha512 checksum mismatch'));
  await checkForUpdate();
  expect(shown.at(-1)).toMatchObject({ type: 'error' });
  expect(shown.at(-1)?.detail).toContain('sha512 checksum mismatch');
  expect(updater.autoInstallOnAppQuit).toBe(false);
  expect(updater.quitAndInstall).not.toHaveBeenCalled();
  await checkForUpdate();
  expect(shown).toHaveLength(3);
});

test('a feed that cannot be read is no news', async () => {
  const { checkForUpdate, updater, shown } = scene(null);
  updater.checkForUpdates.mockRejectedValue(new Error('net::ERR_INTERNET_DISCONNECTED'));
  await checkForUpdate();
  expect(shown).toEqual([]);
});

test('an open question is not asked a second time', async () => {
  const { checkForUpdate, show, updater } = scene({ version: '1.1.0' });
  let answer: (button: number) => void = () => undefined;
  show.mockImplementationOnce(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  const first = checkForUpdate();
  await checkForUpdate();
  await expect.poll(() => show.mock.calls.length).toBe(1);
  expect(updater.checkForUpdates).toHaveBeenCalledTimes(1);
  answer(1);
  await first;
  expect(show).toHaveBeenCalledTimes(1);
});
