import type { MessageBoxOptions } from 'electron';

/** The part of electron-updater that is used here. */
export interface Updater {
  autoDownload: boolean;
  autoInstallOnAppQuit: boolean;
  allowDowngrade: boolean;
  disableWebInstaller: boolean;
  requestHeaders: Record<string, string | string[] | number | undefined> | null;
  /** Resolves with null if this package can't update itself. Rejects if the feed can't be read. */
  readonly checkForUpdates: () => Promise<{
    readonly isUpdateAvailable: boolean;
    readonly updateInfo: { readonly version: string };
  } | null>;
  /** Rejects if the download doesn't match its checksum or, on systems with signatures, its signature. */
  readonly downloadUpdate: () => Promise<unknown>;
  readonly quitAndInstall: () => void;
}

interface OfferSurroundings {
  readonly updater: Updater;
  /** The running version. */
  readonly version: string;
  /** Shows a native dialog; resolves with the index of the button. */
  readonly show: (options: MessageBoxOptions) => Promise<number>;
  /** Called with errors that can't be shown: a dialog that doesn't open, or an installer that doesn't start. */
  readonly failed: (error: unknown) => void;
}

/** Turns off everything that the updater would do without being asked. */
export function restrain(updater: Updater): void {
  updater.autoDownload = false;
  updater.autoInstallOnAppQuit = false;
  updater.allowDowngrade = false;
  updater.disableWebInstaller = true;
  // The updater would send an ID of this installation. Instead, it sends an ID that is the same for all installations.
  updater.requestHeaders = { 'x-user-staging-id': '00000000-0000-0000-0000-000000000000' };
}

/**
 * Returns a function that checks for a newer version and offers it. Nothing is downloaded before the owner agrees, and
 * a declined version is not offered again until the app restarts. The function never rejects: it shows failures of an
 * update that the owner agreed to, and ignores an unreadable feed.
 */
export function createOffers({ updater, version, show, failed }: OfferSurroundings): () => Promise<void> {
  const settled = new Set<string>();
  let busy = false;

  async function offer(): Promise<void> {
    // A failure means that the computer is offline or the feed is unavailable. The next check may succeed.
    const found = await updater.checkForUpdates().catch(() => null);
    if (!found?.isUpdateAvailable || settled.has(found.updateInfo.version)) return;
    const newer = found.updateInfo.version;
    settled.add(newer);
    if ((await show(question(newer, version))) !== 0) return;
    // With this setting, the update is also installed if the owner quits instead of restarting.
    updater.autoInstallOnAppQuit = true;
    try {
      await updater.downloadUpdate();
    } catch (error) {
      updater.autoInstallOnAppQuit = false;
      settled.delete(newer);
      await show(failure(newer, error));
      return;
    }
    if ((await show(ready(newer))) === 0) updater.quitAndInstall();
  }

  return async () => {
    // The dialog of an earlier check may stay open for days.
    if (busy) return;
    busy = true;
    try {
      await offer();
    } catch (error) {
      failed(error);
    } finally {
      busy = false;
    }
  };
}

const common = { title: 'Porchlight', noLink: true } as const;

function question(newer: string, version: string): MessageBoxOptions {
  return {
    ...common,
    type: 'question',
    message: `Porchlight ${newer} is available`,
    detail: `You have version ${version}. Download the update now and install it when you quit Porchlight?`,
    buttons: ['Download and install', 'Not now'],
    defaultId: 0,
    cancelId: 1,
  };
}

function ready(newer: string): MessageBoxOptions {
  return {
    ...common,
    type: 'info',
    message: `Porchlight ${newer} is ready to install`,
    detail: 'Restart Porchlight to install the update now. Otherwise, it is installed when you quit.',
    buttons: ['Restart now', 'Later'],
    defaultId: 1,
    cancelId: 1,
  };
}

function failure(newer: string, error: unknown): MessageBoxOptions {
  return {
    ...common,
    type: 'error',
    message: `Porchlight ${newer} could not be downloaded`,
    detail: `You still have your current version. ${error instanceof Error ? error.message : ''}`.trim(),
    buttons: ['OK'],
  };
}
