import { afterEach, describe, expect, test, vi } from 'vitest';
import type { OwnerEvent } from '../../../src-main/contract/contract.ts';
import type { Connection } from '../../../src-renderer/client/client.ts';
import { readEvents } from '../../../src-renderer/client/event-stream.ts';
import { httpClient } from '../../../src-renderer/client/http.ts';
import { ipcClient } from '../../../src-renderer/client/ipc.ts';
import {
  forgetOwnerKey,
  keptOwnerKey,
  ownerKeyIn,
  takeOwnerKey,
} from '../../../src-renderer/client/owner-key.ts';
import { patience } from '../../support/patience.ts';

const settled = (id: string): OwnerEvent => ({ name: 'signIn.settled', data: { id, outcome: 'approved' } });
const written = (event: OwnerEvent) => `event: ${event.name}\ndata: ${JSON.stringify(event.data)}\n\n`;

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function eventsOf(chunks: readonly Uint8Array[]): Promise<OwnerEvent[]> {
  const events: OwnerEvent[] = [];
  for await (const event of readEvents(streamOf(chunks))) events.push(event);
  return events;
}

const bytes = (text: string) => new TextEncoder().encode(text);

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('the event stream', () => {
  test('reads the same events however the bytes are cut', async () => {
    const whole = bytes(`: hello\n\n${written(settled('é☂️'))}: beat\n\n${written(settled('two'))}`);
    for (let size = 1; size <= whole.length; size += 1) {
      const chunks: Uint8Array[] = [];
      for (let start = 0; start < whole.length; start += size)
        chunks.push(whole.subarray(start, start + size));
      expect(await eventsOf(chunks)).toEqual([settled('é☂️'), settled('two')]);
    }
  });

  test('accepts CRLF, also if a chunk ends between the two', async () => {
    const text = written(settled('one')).replaceAll('\n', '\r\n');
    const cut = text.indexOf('\r') + 1;
    expect(await eventsOf([bytes(text.slice(0, cut)), bytes(text.slice(cut))])).toEqual([settled('one')]);
  });

  test('passes over unknown names, broken data and an event that was cut off', async () => {
    const text = `event: toString\ndata: {}\n\nevent: signIn.settled\ndata: {"id\n\n${written(settled('good'))}`;
    expect(await eventsOf([bytes(`${text}event: signIn.settled\ndata: {}\n`)])).toEqual([settled('good')]);
  });
});

describe('the http client', () => {
  const answering = (...responses: Response[]) => {
    const fetched = vi.fn<typeof fetch>();
    for (const response of responses) fetched.mockResolvedValueOnce(response);
    vi.stubGlobal('fetch', fetched);
    return fetched;
  };
  const listen = (client: ReturnType<typeof httpClient>) => {
    const heard: (OwnerEvent | Connection)[] = [];
    client.watchConnection((connection) => heard.push(connection));
    const stop = client.subscribe((event) => heard.push(event));
    return { heard, stop };
  };

  test('posts the parameters with the owner key', async () => {
    const fetched = answering(Response.json({ result: { id: 'a' } }));
    const client = httpClient({ ownerKey: 'k', base: 'http://127.0.0.1:1/' });
    expect(await client.call('apps.revoke', { id: 'a' })).toEqual({ id: 'a' });
    expect(fetched.mock.calls).toEqual([
      [
        'http://127.0.0.1:1/api/apps.revoke',
        {
          method: 'POST',
          headers: { Authorization: 'Bearer k', 'Content-Type': 'application/json' },
          body: '{"id":"a"}',
        },
      ],
    ]);
  });

  test.each([
    [10, true],
    [30_000, undefined],
  ])('lets a save of %i characters outlive the page: %s', async (length, keepalive) => {
    const fetched = answering(Response.json({ result: {} }));
    const client = httpClient({ ownerKey: 'k' });
    const label = 'x'.repeat(length);
    await client.call('apps.issueToken', { label, scopes: [] }, { outlivesPage: true });
    expect(fetched.mock.calls[0]?.[1]?.keepalive).toBe(keepalive);
  });

  test('throws an error reply with its code and words, whatever the status', async () => {
    answering(Response.json({ error: { code: 'not_found', message: 'Gone.' } }, { status: 404 }));
    const call = httpClient({ ownerKey: 'k' }).call('apps.revoke', { id: 'a' });
    await expect(call).rejects.toMatchObject({
      name: 'PorchlightError',
      code: 'not_found',
      message: 'Gone.',
    });
  });

  test.each(['<html>', '{}', '{"error":"no"}', 'null'])(
    'an answer without sense is an error: %s',
    async (body) => {
      answering(new Response(body));
      await expect(httpClient({ ownerKey: 'k' }).call('status.get', {})).rejects.toMatchObject({
        code: 'server_error',
      });
    },
  );

  test('a missing answer is reported with a message', async () => {
    vi.stubGlobal('fetch', vi.fn<typeof fetch>().mockRejectedValue(new TypeError('Failed to fetch')));
    await expect(httpClient({ ownerKey: 'k' }).call('status.get', {})).rejects.toMatchObject({
      code: 'unreachable',
    });
  });

  test('connects again after the stream ends or fails, with a pause that grows until it is through', async () => {
    const fetched = answering(
      new Response(written(settled('one'))),
      new Response('busy', { status: 503 }),
      new Response('busy', { status: 503 }),
      new Response(written(settled('two'))),
      new Response('{}', { status: 401 }),
    );
    const pauses: number[] = [];
    const pause = (attempt: number) => {
      pauses.push(attempt);
      return Promise.resolve();
    };
    const { heard } = listen(httpClient({ ownerKey: 'k', pause }));
    await vi.waitFor(() => expect(heard).toContain('refused'), patience);
    expect(heard).toEqual([
      'open',
      settled('one'),
      'lost',
      'lost',
      'lost',
      'open',
      settled('two'),
      'lost',
      'refused',
    ]);
    expect(pauses).toEqual([1, 2, 3, 1]);
    expect(fetched.mock.calls[0]?.[1]?.headers).toMatchObject({ Authorization: 'Bearer k' });
  });

  test('tells when a call’s key is refused', async () => {
    answering(Response.json({ error: { code: 'unauthorized', message: 'No.' } }, { status: 401 }));
    const client = httpClient({ ownerKey: 'old' });
    const heard: Connection[] = [];
    client.watchConnection((connection) => heard.push(connection));
    await expect(client.call('status.get', {})).rejects.toMatchObject({ code: 'unauthorized' });
    expect(heard).toEqual(['refused']);
  });

  test('closes the stream with its last listener', () => {
    const fetched = vi.fn<typeof fetch>(() => new Promise(() => undefined));
    vi.stubGlobal('fetch', fetched);
    const client = httpClient({ ownerKey: 'k' });
    const stops = [client.subscribe(() => undefined), client.subscribe(() => undefined)];
    expect(fetched).toHaveBeenCalledOnce();
    const signal = fetched.mock.calls[0]?.[1]?.signal;
    stops[0]?.();
    expect(signal?.aborted).toBe(false);
    stops[1]?.();
    expect(signal?.aborted).toBe(true);
  });
});

describe('the ipc client', () => {
  test('hands over the call and throws an error reply', async () => {
    const call = vi.fn().mockResolvedValueOnce({ result: [] });
    call.mockResolvedValueOnce({ error: { code: 'not_found', message: 'No.' } }).mockResolvedValueOnce('?');
    const client = ipcClient({ call, subscribe: () => () => undefined });
    expect(await client.call('apps.list', {})).toEqual([]);
    expect(call.mock.calls).toEqual([['apps.list', {}]]);
    await expect(client.call('apps.list', {})).rejects.toMatchObject({ code: 'not_found', message: 'No.' });
    await expect(client.call('apps.list', {})).rejects.toMatchObject({ code: 'server_error' });
  });
});

describe('the owner key', () => {
  test.each([
    ['#key=abc-_.~1', 'abc-_.~1'],
    ['#abc', 'abc'],
    ['#/sign-ins?id=1', null],
    ['', null],
    ['#', null],
    ['#key=', null],
    ['#key=a b', null],
  ])('in the fragment %s is %s', (fragment, key) => {
    expect(ownerKeyIn(fragment)).toBe(key);
  });

  test('is taken out of the address bar and the history', () => {
    window.location.hash = '#key=secret';
    const before = window.history.length;
    expect(takeOwnerKey()).toBe('secret');
    expect(window.location.href).not.toContain('secret');
    expect(window.location.hash).toBe('#/');
    expect(window.history.length).toBe(before);
  });

  test('is kept for reloads of this tab, until it is refused', () => {
    window.location.hash = '#key=secret';
    takeOwnerKey();
    expect(takeOwnerKey()).toBeNull();
    expect(keptOwnerKey()).toBe('secret');
    forgetOwnerKey();
    expect(keptOwnerKey()).toBeNull();
  });

  test('opens the page also if the browser stores nothing', () => {
    vi.spyOn(window, 'sessionStorage', 'get').mockImplementation(() => {
      throw new DOMException('denied', 'SecurityError');
    });
    window.location.hash = '#key=secret';
    expect(takeOwnerKey()).toBe('secret');
    expect(keptOwnerKey()).toBeNull();
    vi.restoreAllMocks();
  });

  test('a route stays unchanged', () => {
    window.location.hash = '#/apps';
    expect(takeOwnerKey()).toBeNull();
    expect(window.location.hash).toBe('#/apps');
  });
});
