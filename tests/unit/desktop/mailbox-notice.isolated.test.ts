import { afterEach, expect, test, vi } from 'vitest';
import type { OwnerApi, OwnerEvent } from '../../../src-main/contract/contract.ts';
import { startMailboxNotice } from '../../../src-main/desktop/notification.ts';

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

/** Lets this many things arrive while the owner was away. Returns the places that clicks have opened since. */
async function arrive(arrived: number, desktop: { notifications: boolean; sound: boolean }) {
  let emit: (event: OwnerEvent) => void = () => undefined;
  const owner: OwnerApi = {
    call: () => Promise.resolve({ result: { desktop } }),
    subscribe: (listener) => {
      emit = listener;
      return () => undefined;
    },
  };
  const places: string[] = [];
  const end = startMailboxNotice(owner, (place) => void places.push(place));
  emit({ name: 'mailbox.arrived', data: { arrived } });
  // The settings are read first.
  await new Promise(setImmediate);
  end();
  return places;
}

test.each([
  [14, '14 things arrived while you were away'],
  [1, 'One thing arrived while you were away'],
])('a notification says that %i arrived, and a click opens the mentions', async (arrived, title) => {
  const places = await arrive(arrived, { notifications: true, sound: false });
  expect(shown.map(({ options }) => options)).toMatchObject([{ title, silent: true }]);
  shown[0]?.click();
  expect(places).toEqual(['#/webmentions']);
});

test('an owner who wants no notifications gets none', async () => {
  await arrive(14, { notifications: false, sound: true });
  expect(shown).toEqual([]);
});
