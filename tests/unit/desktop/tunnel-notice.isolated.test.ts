import { afterEach, expect, test, vi } from 'vitest';
import type { OwnerApi, OwnerEvent } from '../../../src-main/contract/contract.ts';
import type { TunnelStatus } from '../../../src-main/contract/reach.ts';
import { startTunnelNotice } from '../../../src-main/desktop/notification.ts';

interface Shown {
  readonly options: { readonly title: string; readonly body: string; readonly silent: boolean };
  readonly click: () => void;
}
const { shown } = vi.hoisted(() => ({ shown: [] as Shown[] }));
vi.mock('electron', () => ({
  Notification: class {
    static isSupported = () => true;
    readonly #options: Shown['options'];
    #click: () => void = () => undefined;
    constructor(options: Shown['options']) {
      this.#options = options;
    }
    on(_event: 'click', click: () => void) {
      this.#click = click;
    }
    show() {
      shown.push({ options: this.#options, click: this.#click });
    }
    close() {}
  },
}));
afterEach(() => void (shown.length = 0));

const words = 'Cloudflare no longer knows this tunnel. Copy a new token from the Cloudflare dashboard.';
const connected: TunnelStatus = {
  mode: 'named',
  state: 'connected',
  words: 'Connected',
  url: 'https://porch.example.com',
  connections: 4,
  reason: null,
  progress: null,
};
const failed: TunnelStatus = { ...connected, state: 'failed', words, connections: 0, reason: 'bad_token' };

/** Lets the tunnel go through these states. Returns the places that clicks have opened since. */
async function live(states: readonly TunnelStatus[], notifications = true) {
  let emit: (event: OwnerEvent) => void = () => undefined;
  const owner: OwnerApi = {
    call: (method) =>
      Promise.resolve({
        result: method === 'tunnel.status' ? states[0] : { desktop: { notifications, sound: true } },
      }),
    subscribe: (listener) => {
      emit = listener;
      return () => undefined;
    },
  };
  const places: string[] = [];
  const end = startTunnelNotice(owner, (place) => void places.push(place));
  await new Promise(setImmediate);
  for (const data of states) emit({ name: 'tunnel.changed', data });
  // The settings are read first.
  await new Promise(setImmediate);
  end();
  return places;
}

test('a failed tunnel is reported once, and a click opens the settings of the address', async () => {
  const places = await live([connected, failed, { ...failed, connections: 0 }]);
  expect(shown.map(({ options }) => options)).toEqual([
    { title: 'The web can’t reach your Porchlight', body: words, silent: false },
  ]);
  shown[0]?.click();
  expect(places).toEqual(['#/settings/reach']);
});

test('a tunnel that had failed before the desktop was open is reported too', async () => {
  await live([failed]);
  expect(shown).toHaveLength(1);
});

test('a tunnel that works again and fails again is reported again', async () => {
  await live([connected, failed, connected, failed]);
  expect(shown).toHaveLength(2);
});

test('a tunnel that reconnects by itself is nothing to tell, and an owner may want no notifications', async () => {
  await live([connected, { ...connected, state: 'reconnecting', connections: 0 }, connected]);
  await live([connected, failed], false);
  expect(shown).toEqual([]);
});
