import { contextBridge, ipcRenderer, type IpcRendererEvent } from 'electron';
import type { OwnerApi, OwnerEvent } from '../contract/contract.ts';
import type { WindowSignal } from '../contract/window-signal.ts';
import { callChannel, eventChannel, signalChannel } from './channels.ts';

/** The page's whole view of the main process: `window.porchlight`. Names and parameters are checked on arrival. */
const bridge: OwnerApi & { watchWindow(listener: (signal: WindowSignal) => void): () => void } = {
  call: (method, params) => ipcRenderer.invoke(callChannel, method, params),
  subscribe: (listener) => hear<OwnerEvent>(eventChannel, listener),
  watchWindow: (listener) => hear<WindowSignal>(signalChannel, listener),
};

contextBridge.exposeInMainWorld('porchlight', bridge);

/** Calls `listener` with each message of a channel. Returns the function that stops it. */
function hear<T>(channel: string, listener: (message: T) => void): () => void {
  const pass = (_event: IpcRendererEvent, message: T) => listener(message);
  ipcRenderer.on(channel, pass);
  return () => void ipcRenderer.removeListener(channel, pass);
}
