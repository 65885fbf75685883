import type { MessageBoxOptions } from 'electron';

/** What is used of electron-updater. */
export interface Updater {
  autoDownload: boolean;
  autoInstallOnAppQuit: boolean;
  allowDowngrade: boolean;
  disableWebInstaller: boolean;
  requestHeaders: Record<string, string | string[] | number | undefined> | null;
  /** Null where this package cannot update itself. Rejects where the feed cannot be read. */
  readonly checkForUpdates: () => Promise<{
    readonly isUpdateAvailable: boolean;
    readonly updateInfo: { readonly version: string };
  } | null>;
  /** Rejects where the download does not fit its checksum, or, where the system has them, its signature. */
  readonly downloadUpdate: () => Promise<unknown>;
  readonly quitAndInstall: () => void;
}

export interface OfferSurroundings {
  readonly updater: Updater;
  /** The version that runs. */
  readonly version: string;
  /** Shows a native dialog; resolves to the number of the button. */
  readonly show: (options: MessageBoxOptions) => Promise<number>;
  /** Hears of what could not be told: a dialog that does not come up, an installer that does not start. */
  readonly failed: (error: unknown) => void;
}

/** Takes from the updater whatever it would do unasked. */
export function restrain(updater: Updater): void {
  updater.autoDownload = false;
  updater.autoInstallOnAppQuit = false;
  updater.allowDowngrade = false;
  updater.disableWebInstaller = true;
  // It would send a number that stands for this installation; this one stands for all.
  updater.requestHeaders = { 'x-user-staging-id': '00000000-0000-0000-0000-000000000000' };
}

/**
 * Makes the function that looks for a newer version and offers it: nothing is fetched before the owner agrees, and a
 * version that was turned down is not offered again in this run. It never rejects: what goes wrong with something the
 * owner agreed to is told, and a feed that cannot be read is no news.
 */
export function createOffers({ updater, version, show, failed }: OfferSurroundings): () => Promise<void> {
  const settled = new Set<string>();
  let busy = false;

  async function offer(): Promise<void> {
    // Offline, or the feed is away: the next look will tell.
    const found = await updater.checkForUpdates().catch(() => null);
    if (!found?.isUpdateAvailable || settled.has(found.updateInfo.version)) return;
    const newer = found.updateInfo.version;
    settled.add(newer);
    if ((await show(question(newer, version))) !== 0) return;
    // Also what makes the download be installed when the owner quits instead of restarting.
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
    // A question may stand for days.
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
