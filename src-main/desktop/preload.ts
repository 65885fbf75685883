import { contextBridge, ipcRenderer } from 'electron';
import type { OwnerApi, OwnerEvent } from '../contract/contract.ts';
import type { WindowSignal } from '../contract/window.ts';
import { callChannel, closeChannel, eventChannel, restChannel, signalChannel } from './channels.ts';

interface Bridge extends OwnerApi {
  watchWindow(listener: (signal: WindowSignal) => void): () => void;
  closeWindow(): void;
  restWindow(): void;
}

/** The page's only access to the main process: `window.porchlight`. The main process checks every call. */
const bridge: Bridge = {
  call: (method, params) => ipcRenderer.invoke(callChannel, method, params),
  subscribe: (listener) => hear(eventChannel, (_event, message: OwnerEvent) => listener(message)),
  watchWindow: (listener) => hear(signalChannel, (_event, signal: WindowSignal) => listener(signal)),
  closeWindow: () => ipcRenderer.send(closeChannel),
  restWindow: () => ipcRenderer.send(restChannel),
};

contextBridge.exposeInMainWorld('porchlight', bridge);

/** Calls `pass` with each message of an IPC channel. Returns a function that stops listening. */
function hear(channel: string, pass: Parameters<typeof ipcRenderer.on>[1]): () => void {
  ipcRenderer.on(channel, pass);
  return () => void ipcRenderer.removeListener(channel, pass);
}
