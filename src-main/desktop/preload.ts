import { contextBridge, ipcRenderer, type IpcRendererEvent } from 'electron';
import type { OwnerApi } from '../contract/contract.ts';
import { callChannel, eventChannel } from './channels.ts';

/** The page's whole view of the main process: `window.porchlight`. Names and parameters are checked on arrival. */
const bridge: OwnerApi = {
  call: (method, params) => ipcRenderer.invoke(callChannel, method, params),
  subscribe: (listener) => {
    const hear = (_event: IpcRendererEvent, event: Parameters<typeof listener>[0]) => listener(event);
    ipcRenderer.on(eventChannel, hear);
    return () => ipcRenderer.removeListener(eventChannel, hear);
  },
};

contextBridge.exposeInMainWorld('porchlight', bridge);
