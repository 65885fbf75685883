import type { OwnerApi } from '../../src-main/contract/contract.ts';
import { resultOf } from '../../src-main/contract/reply.ts';
import type { WindowSignal } from '../../src-main/contract/window.ts';
import type { Client } from './client.ts';

/** What the preload script gives the window. */
export interface Bridge extends Pick<OwnerApi, 'call' | 'subscribe'> {
  /** Hears what the desktop app tells its window, until the returned function is called. */
  watchWindow(listener: (signal: WindowSignal) => void): () => void;
  /** Closes this window. The app keeps its page, hidden. */
  closeWindow(): void;
  /** Lets the app close this window for good while it is hidden. The app opens another one at the same address. */
  restWindow(): void;
}

declare global {
  interface Window {
    /** Only in the desktop app. */
    readonly porchlight?: Bridge;
  }
}

/** Returns the client of the desktop app. The service is part of the app, so the connection cannot be lost. */
export function ipcClient(bridge: Pick<Bridge, 'call' | 'subscribe'>): Client {
  return {
    home: 'desktop',
    call: async (method, params) => resultOf(await bridge.call(method, params)),
    subscribe: (listener) => bridge.subscribe(listener),
    watchConnection: () => () => undefined,
  };
}
