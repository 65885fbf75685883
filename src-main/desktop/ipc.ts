import { ipcMain, type BrowserWindow, type IpcMainEvent, type IpcMainInvokeEvent } from 'electron';
import type { OwnerApi, Reply } from '../contract/contract.ts';
import { appOrigin } from './addresses.ts';
import { callChannel, closeChannel, eventChannel, restChannel } from './channels.ts';

/** Connects the app's windows to the owner's API. */
export function connectWindows(owner: OwnerApi) {
  const windows = new Map<BrowserWindow, () => void>();
  ipcMain.handle(callChannel, (event, method: unknown, params: unknown): Promise<Reply> | Reply =>
    windowOf(event, windows) && typeof method === 'string' ? owner.call(method, params) : refusal,
  );
  const close = (event: IpcMainEvent) => windowOf(event, windows)?.close();
  ipcMain.on(closeChannel, close);
  const rest = (event: IpcMainEvent) => {
    const window = windowOf(event, windows);
    if (window) windows.get(window)?.();
  };
  ipcMain.on(restChannel, rest);
  const unsubscribe = owner.subscribe((event) => {
    for (const window of windows.keys())
      if (!window.isDestroyed()) window.webContents.send(eventChannel, event);
  });
  return {
    /** `rest`: called when the window's page agrees to end, because nothing in it is unsaved. */
    connect: (window: BrowserWindow, rest: () => void): void => {
      windows.set(window, rest);
      window.once('closed', () => windows.delete(window));
    },
    disconnect: (): void => {
      unsubscribe();
      ipcMain.removeHandler(callChannel);
      ipcMain.off(closeChannel, close);
      ipcMain.off(restChannel, rest);
    },
  };
}

const refusal: Reply = {
  error: { code: 'not_allowed', message: 'Only the window of Porchlight may ask this.' },
};

/**
 * Returns the app's window that sent a message. The sender must be the window's main frame, at the app's own origin.
 * Returns undefined for any other sender, because only the app's own page is allowed to act for the owner.
 */
function windowOf(
  { sender, senderFrame }: IpcMainInvokeEvent | IpcMainEvent,
  windows: ReadonlyMap<BrowserWindow, unknown>,
): BrowserWindow | undefined {
  const isOurs = senderFrame !== null && senderFrame === sender.mainFrame && senderFrame.origin === appOrigin;
  return isOurs
    ? [...windows.keys()].find((window) => !window.isDestroyed() && window.webContents === sender)
    : undefined;
}
