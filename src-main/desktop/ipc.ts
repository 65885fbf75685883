import { ipcMain, type BrowserWindow, type IpcMainInvokeEvent } from 'electron';
import type { OwnerApi, Reply } from '../contract/contract.ts';
import { appOrigin } from './addresses.ts';
import { callChannel, eventChannel } from './channels.ts';

/** Connects the window to the owner's API. Returns a function that disconnects it. */
export function connectWindow(window: BrowserWindow, owner: OwnerApi): () => void {
  ipcMain.handle(callChannel, (event, method: unknown, params: unknown): Promise<Reply> | Reply =>
    isFromOurPage(event, window) && typeof method === 'string' ? owner.call(method, params) : refusal,
  );
  const unsubscribe = owner.subscribe((event) => {
    if (!window.isDestroyed()) window.webContents.send(eventChannel, event);
  });
  return () => {
    unsubscribe();
    ipcMain.removeHandler(callChannel);
  };
}

const refusal: Reply = {
  error: { code: 'not_allowed', message: 'Only the window of Porchlight may ask this.' },
};

/** Returns whether a call comes from our window, main frame and origin: nobody else may act for the owner. */
function isFromOurPage(event: IpcMainInvokeEvent, window: BrowserWindow): boolean {
  if (window.isDestroyed() || event.sender !== window.webContents) return false;
  const frame = event.senderFrame;
  return frame !== null && frame === window.webContents.mainFrame && frame.origin === appOrigin;
}
