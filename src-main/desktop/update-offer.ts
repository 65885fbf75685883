import type { MessageBoxOptions } from 'electron';

/** The properties of electron-updater that this file uses. */
export interface Updater {
  autoDownload: boolean;
  autoInstallOnAppQuit: boolean;
  allowDowngrade: boolean;
  disableWebInstaller: boolean;
  forceDevUpdateConfig: boolean;
  requestHeaders: Record<string, string | string[] | number | undefined> | null;
  /** Resolves with null if this package can't update itself. Rejects if the update feed can't be read. */
  readonly checkForUpdates: () => Promise<{
    readonly isUpdateAvailable: boolean;
    readonly updateInfo: { readonly version: string };
  } | null>;
  /** Rejects if the download doesn't match its checksum or, on systems where updates are signed, its signature. */
  readonly downloadUpdate: () => Promise<unknown>;
  readonly quitAndInstall: () => void;
}

interface OfferSurroundings {
  readonly updater: Updater;
  /** The version of the running app. */
  readonly version: string;
  /** Returns whether this package can replace itself. */
  readonly canInstall: () => Promise<boolean>;
  /** Opens the page from which the owner downloads a newer version. */
  readonly openReleases: () => void;
  /** Shows a native dialog. Resolves with the index of the clicked button. */
  readonly show: (options: MessageBoxOptions) => Promise<number>;
  /** Called with errors that the owner can't see: a dialog that doesn't open, or an installer that doesn't start. */
  readonly failed: (error: unknown) => void;
}

/** Turns off every action that the updater would take without asking the owner. */
export function restrain(updater: Updater): void {
  updater.autoDownload = false;
  updater.autoInstallOnAppQuit = false;
  updater.allowDowngrade = false;
  updater.disableWebInstaller = true;
  // Packages that can't replace themselves look for a newer version too, to tell the owner about it.
  updater.forceDevUpdateConfig = true;
  // By default, the updater sends a different ID for each installation. Send the same ID from all of them instead.
  updater.requestHeaders = { 'x-user-staging-id': '00000000-0000-0000-0000-000000000000' };
}

/**
 * Returns a function that checks for a newer version and offers it to the owner. If this package can't replace itself,
 * the function only says where the newer version is. The function downloads nothing before
 * the owner agrees. It doesn't offer a declined version again until the app restarts. It never rejects: it shows the
 * errors of an update that the owner agreed to, and ignores an unreadable feed.
 */
export function createOffers(surroundings: OfferSurroundings): () => Promise<void> {
  const { updater, version, canInstall, openReleases, show, failed } = surroundings;
  const settled = new Set<string>();
  let busy = false;

  async function offer(): Promise<void> {
    // An error means that the computer is offline or the feed is unavailable. The next check may succeed.
    const found = await updater.checkForUpdates().catch(() => null);
    if (!found?.isUpdateAvailable || settled.has(found.updateInfo.version)) return;
    const newer = found.updateInfo.version;
    settled.add(newer);
    if (!(await canInstall())) {
      if ((await show(news(newer, version))) === 0) openReleases();
      return;
    }
    if ((await show(question(newer, version))) !== 0) return;
    // With `autoInstallOnAppQuit`, the update is also installed if the owner quits instead of restarting.
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
    // Skip this check while a dialog from an earlier check is still open. A dialog can stay open for days.
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

function news(newer: string, version: string): MessageBoxOptions {
  return {
    ...common,
    type: 'info',
    message: `Porchlight ${newer} is available`,
    detail: `You have version ${version}. This package can’t update itself. Download the new version and install it over this one; your data stays.`,
    buttons: ['Open the download page', 'Not now'],
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
