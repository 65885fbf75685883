import type { OwnerApi } from '../../src-main/contract/contract.ts';
import { PorchlightError } from '../../src-main/contract/error.ts';
import { resultOf } from '../../src-main/contract/reply.ts';
import { isReply, type Client } from './client.ts';

/** What the preload script hands to the window. */
export type Bridge = Pick<OwnerApi, 'call' | 'subscribe'>;

declare global {
  interface Window {
    /** There in the desktop app only. */
    readonly porchlight?: Bridge;
  }
}

/** The client of the desktop app: the service is in the same process tree, so the line cannot be lost. */
export function ipcClient(bridge: Bridge): Client {
  return {
    home: 'desktop',
    async call(method, params) {
      const reply: unknown = await bridge.call(method, params);
      if (!isReply(reply))
        throw new PorchlightError('server_error', 'Porchlight gave an answer without sense.');
      return resultOf(reply);
    },
    subscribe: (listener) => bridge.subscribe(listener),
    watchConnection: () => () => undefined,
  };
}
