import { act, cleanup, configure, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { isMethodName } from '../../../src-main/contract/contract.ts';
import { BrowserDoor } from '../../../src-renderer/browser-door.tsx';
import { keptOwnerKey, takeOwnerKey } from '../../../src-renderer/client/owner-key.ts';
import { Appearance } from '../../../src-renderer/appearance.tsx';
import { houseHandlers, livedInHouse } from '../../support/window-fixtures.ts';

/** A console that knows one key. */
function consoleWith(key: string): typeof fetch {
  const handlers = houseHandlers(livedInHouse(Date.now()));
  return async (input, init) => {
    const method = (input as string).replace('./api/', '');
    if (new Headers(init?.headers).get('Authorization') !== `Bearer ${key}`) {
      return Response.json({ error: { code: 'unauthorized', message: 'No.' } }, { status: 401 });
    }
    if (!isMethodName(method)) return new Response(new ReadableStream());
    return Response.json({
      result: await Promise.resolve(handlers[method](JSON.parse(init?.body as string) as never)),
    });
  };
}

const open = (firstKey: string | null) =>
  render(
    <Appearance env="test">
      <BrowserDoor firstKey={firstKey} />
    </Appearance>,
  );

// A busy machine is slow, not wrong.
configure({ asyncUtilTimeout: 20_000 });
vi.setConfig({ testTimeout: 180_000 });

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  window.location.hash = '#/';
});

describe('the door of the page in a browser', () => {
  test('without a key it says how to get back in', () => {
    open(null);
    expect(screen.getByRole('heading', { name: 'This window is locked' })).toBeTruthy();
    expect(screen.getByText(/run “porchlight open”/)).toBeTruthy();
  });

  test('with a key that is no longer good it says so', async () => {
    vi.stubGlobal('fetch', consoleWith('new'));
    open('old');
    expect(await screen.findByText(/has restarted since/)).toBeTruthy();
  });

  test('forgets a key that is no longer good', async () => {
    vi.stubGlobal('fetch', consoleWith('new'));
    window.location.hash = '#key=old';
    open(takeOwnerKey());
    await screen.findByText(/has restarted since/);
    expect(keptOwnerKey()).toBeNull();
  });

  test('opens when an address with a key is opened on the same page, and hides the key', async () => {
    vi.stubGlobal('fetch', consoleWith('new'));
    open('old');
    await screen.findByText(/has restarted since/);
    act(() => {
      window.location.hash = '#key=new';
      window.dispatchEvent(new Event('hashchange'));
    });
    expect(await screen.findByRole('heading', { name: 'Porchlight is on' })).toBeTruthy();
    expect(window.location.href).not.toContain('new');
  });
});
