import { ipcMain, type BrowserWindow, type IpcMainInvokeEvent } from 'electron';
import type { OwnerApi, Reply } from '../contract/contract.ts';
import { appOrigin } from './addresses.ts';
import { callChannel, eventChannel } from './channels.ts';

/** Connects our windows to the owner's API. */
export function connectWindows(owner: OwnerApi) {
  const windows = new Set<BrowserWindow>();
  ipcMain.handle(callChannel, (event, method: unknown, params: unknown): Promise<Reply> | Reply =>
    isFromOurPage(event, windows) && typeof method === 'string' ? owner.call(method, params) : refusal,
  );
  const unsubscribe = owner.subscribe((event) => {
    for (const window of windows) if (!window.isDestroyed()) window.webContents.send(eventChannel, event);
  });
  return {
    connect(window: BrowserWindow): void {
      windows.add(window);
      window.once('closed', () => windows.delete(window));
    },
    disconnect(): void {
      unsubscribe();
      ipcMain.removeHandler(callChannel);
    },
  };
}

const refusal: Reply = {
  error: { code: 'not_allowed', message: 'Only the window of Porchlight may ask this.' },
};

/** Returns whether a call comes from the main frame of a window of ours, at our origin: nobody else may act for the owner. */
function isFromOurPage(
  { sender, senderFrame }: IpcMainInvokeEvent,
  windows: ReadonlySet<BrowserWindow>,
): boolean {
  const isOurs = [...windows].some((window) => !window.isDestroyed() && window.webContents === sender);
  return (
    isOurs && senderFrame !== null && senderFrame === sender.mainFrame && senderFrame.origin === appOrigin
  );
}
