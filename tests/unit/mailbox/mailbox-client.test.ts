import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { mailboxPath } from '../../../src-main/platform/mailbox-protocol.ts';
import { fetchedResponse, responseHeaders } from '../../../src-main/platform/fetched-response.ts';
import { FetchError, type FetchOptions } from '../../../src-main/platform/guarded-fetch.ts';
import { createMailboxClient } from '../../../src-main/mailbox/mailbox-client.ts';

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-11-20T21:30:00Z') }));
afterEach(() => void vi.useRealTimers());

interface Answer {
  readonly status: number;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
const good: Answer = {
  status: 200,
  text: JSON.stringify({ version: 1, state: 'awake', kept: 0, refused: 0, copies: 0, bytes: 0 }),
};

/** A client, and what it gets for each of its calls. `clock`: this computer's. */
function opened(answers: (number: number, call: FetchOptions) => Answer, answeredAt: number | null = null) {
  const world = { clock: () => Date.now(), answeredAt };
  const sent: { name: string; number: number; options: FetchOptions }[] = [];
  const client = createMailboxClient({
    async fetch(url, options = {}) {
      await Promise.resolve();
      const number = Number(options.headers?.['porchlight-signature']?.split('.')[2]);
      sent.push({ name: new URL(url).pathname.slice(mailboxPath.length + 1), number, options });
      const { status, text = '', headers = {} } = answers(number, options);
      return fetchedResponse({
        url,
        hops: 1,
        status,
        body: Buffer.from(text),
        headers: responseHeaders(headers),
      });
    },
    base: () => 'https://porch.example.com',
    callKey: () => Promise.resolve('A'.repeat(43)),
    server: () => Promise.resolve('0'.repeat(32)),
    now: () => world.clock(),
    answeredAt: () => world.answeredAt,
    answered: (at) => Promise.resolve(void (world.answeredAt = at)),
  });
  return { client, world, sent };
}

/** What the server itself answers to a call that reaches it. */
const passedBy = (call: FetchOptions): Answer => ({
  status: 404,
  ...(call.headers?.['porchlight-nonce'] !== undefined && { headers: { 'porchlight-proof': '1.mac' } }),
});
const state = (client: ReturnType<typeof opened>['client']) => client.call('state', {});

test.each([
  [{ status: 429, text: '<title>Rate limited | Cloudflare</title> Error 1027' }],
  [{ status: 503, text: 'error code: 1027' }],
  [{ status: 429, text: '<span>Error</span>\n<span class="cf-error-code">1027</span>' }],
])('the page of a used-up daily limit (%j) is recognized, with the end of the limit', async (page) => {
  const { client } = opened(() => page);
  await expect(state(client)).rejects.toMatchObject({
    code: 'mailbox_failed',
    message: expect.stringMatching(/daily limit.*works again at 00:00 UTC/s) as string,
  });
});

test('a used-up limit of Durable Objects, which the mailbox itself reports, is recognized', async () => {
  const { client } = opened(() => ({ status: 503, text: JSON.stringify({ error: 'over_limit' }) }));
  await expect(state(client)).rejects.toMatchObject({
    code: 'mailbox_failed',
    message: expect.stringMatching(/daily limit.*Durable Objects.*works again at 00:00 UTC/s) as string,
  });
});

test('other refusals because of too many requests are no daily limit', async () => {
  const { client } = opened(() => ({ status: 429, text: 'error code: 1015' }));
  const failure: unknown = await state(client).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'mailbox_failed' });
  expect(String(failure)).toContain('too many requests');
  expect(String(failure)).not.toContain('00:00');
});

test('a call that reaches this server has passed the mailbox by: its limit, if it answered today', async () => {
  let isPassedBy = false;
  const { client, world } = opened((_, call) => (isPassedBy ? passedBy(call) : good));
  await state(client);
  isPassedBy = true;
  await expect(state(client)).rejects.toMatchObject({
    code: 'mailbox_failed',
    message: expect.stringMatching(/daily limit.*works again at 00:00 UTC/s) as string,
  });
  // After a restart, too.
  const again = opened((_, call) => passedBy(call), world.answeredAt);
  await expect(state(again.client)).rejects.toMatchObject({ code: 'mailbox_failed' });
  // A limit of yesterday is over, so it may have been removed.
  vi.setSystemTime(Date.parse('2026-11-21T00:30:00Z'));
  await expect(state(client)).rejects.toMatchObject({
    code: 'mailbox_outdated',
    message: expect.stringMatching(/daily limit.*or somebody removed it/s) as string,
  });
});

test('an answer from another server means that there is no mailbox', async () => {
  const { client } = opened(() => ({ status: 404, text: 'not found' }));
  await expect(state(client)).rejects.toMatchObject({
    code: 'mailbox_outdated',
    message: expect.stringContaining('There is no mailbox') as string,
  });
});

test('a clock that was ahead refuses no later call', async () => {
  let last = 0;
  const { client, world, sent } = opened((number) => {
    if (number <= last) return { status: 409, text: JSON.stringify({ error: 'replayed', last }) };
    last = number;
    return good;
  });
  world.clock = () => Date.now() + 365 * 86_400_000;
  await state(client);
  // The program starts again, with the right time.
  const second = opened((number) => {
    if (number <= last) return { status: 409, text: JSON.stringify({ error: 'replayed', last }) };
    last = number;
    return good;
  });
  await state(second.client);
  await state(second.client);
  expect(sent).toHaveLength(1);
  expect(second.sent).toHaveLength(3);
  expect(second.sent.at(-1)?.number).toBe(last);
});

test('a large call gets the time that it needs on a slow connection', async () => {
  const { client, sent } = opened((_, { body }) => ({
    status: 200,
    text: JSON.stringify({ stored: body === undefined ? 0 : 1 }),
  }));
  const copy = {
    address: '/photo',
    hash: 'h',
    status: 200,
    headers: {},
    noteAt: null,
    body: new Uint8Array(2_000_000),
  };
  await client.store([copy]);
  await client.store([{ ...copy, body: new Uint8Array(10) }]);
  const [large = 0, small = 0] = sent.map(({ options }) => options.timeoutMs);
  // 20 kB a second.
  expect(large - small).toBeGreaterThan(99_000);
  expect(small).toBeLessThan(30_000);
});

test('a more urgent call interrupts the others', async () => {
  const client = createMailboxClient({
    fetch: (_url, { signal } = {}) =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(new FetchError('fetch_failed'))),
      ),
    base: () => 'https://porch.example.com',
    callKey: () => Promise.resolve('A'.repeat(43)),
    server: () => Promise.resolve('0'.repeat(32)),
    now: () => Date.now(),
    answeredAt: () => null,
    answered: () => Promise.resolve(),
  });
  const waiting = [state(client), state(client)].map((call) =>
    expect(call).rejects.toMatchObject({ code: 'cancelled' }),
  );
  await vi.advanceTimersByTimeAsync(0);
  client.interrupt();
  await Promise.all(waiting);
});
