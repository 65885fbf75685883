import { describe, expect, test } from 'vitest';
import { clockFinding, clockIn } from '../../../../src-main/address/self-test/clock-finding.ts';
import { assistantsCheck } from '../../../../src-main/address/self-test/public-checks.ts';
import { fetchTrouble, strangerAt } from '../../../../src-main/address/self-test/public-troubles.ts';
import { type FetchedResponse, FetchError } from '../../../../src-main/platform/guarded-fetch.ts';

const minute = 60_000;
const noon = Date.parse('2026-11-21T12:00:00Z');
const off = (ms: number) => ({ theirs: noon, ours: noon + ms });
const headers = (fields: Record<string, string>) => ({ get: (name: string) => fields[name] ?? null });

describe('the clock', () => {
  test.each([
    [0, 'pass'],
    [2 * minute, 'pass'],
    [-3 * minute, 'warning'],
    [11 * 60 * minute, 'warning'],
    [-24 * 60 * minute, 'fail'],
  ])('%d ms off is a %s', (ms, level) => {
    expect(clockFinding([off(ms)])?.level).toBe(level);
  });

  test('says which way, and how far', () => {
    expect(clockFinding([off(5 * minute)])?.detail).toContain('5 minutes ahead');
    expect(clockFinding([off(-50 * 60 * minute)])?.detail).toContain('2 days behind');
  });

  test('one other clock that is wrong makes this one no liar', () => {
    expect(clockFinding([off(26 * 60 * minute), off(1000)])?.level).toBe('pass');
  });

  test('nothing is reported if nobody told the time', () => {
    expect(clockFinding([])).toBeNull();
    expect(clockIn(headers({}), noon)).toBeNull();
    expect(clockIn(headers({ date: 'yesterday' }), noon)).toBeNull();
  });

  test('an answer that waited in a cache is as much older (RFC 9111, 5.1)', () => {
    const date = 'Sat, 21 Nov 2026 11:00:00 GMT';
    expect(clockIn(headers({ date, age: '3600' }), noon)).toEqual({ theirs: noon, ours: noon });
    expect(clockIn(headers({ date, age: '-5' }), noon)?.theirs).toBe(noon - 60 * minute);
  });
});

describe('an address for assistants', () => {
  const answer = (status: number): FetchedResponse => ({
    status,
    url: 'https://porch.example/x',
    redirected: false,
    headers: headers({}),
    body: new Uint8Array(),
    text: () => '{}',
  });

  test('that doesn’t answer within 10 s says that assistants give up', async () => {
    const waits: (number | undefined)[] = [];
    const finding = await assistantsCheck({
      base: 'https://porch.example',
      nonce: '',
      mediaLimitBytes: 1,
      thorough: false,
      ask: () => Promise.reject(new Error('Not asked.')),
      get: (place, more) => {
        if (place !== '/mcp') return Promise.resolve(answer(200));
        waits.push(more?.timeoutMs);
        return Promise.reject(new FetchError('fetch_timeout', new Error('x')));
      },
    });
    expect(waits).toEqual([10_000]);
    expect(finding).toMatchObject({
      level: 'fail',
      detail: expect.stringContaining('within 10 s') as string,
    });
    expect(finding.fix).toContain('less busy');
  });
});

describe('a public address without an answer', () => {
  const words = (code: string) =>
    fetchTrouble(
      'https://porch.example',
      new FetchError('fetch_failed', Object.assign(new Error('x'), { code })),
    ).detail;

  test.each([
    ['ENOTFOUND', /no DNS record/],
    ['EAI_AGAIN', /no DNS record/],
    ['CERT_HAS_EXPIRED', /By this computer’s clock/],
    ['CERT_NOT_YET_VALID', /By this computer’s clock/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /no certificate/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /no certificate/],
    ['ECONNREFUSED', /refuses connections/],
    ['ECONNRESET', /closed the connection/],
  ])('%s in words', (code, expected) => {
    expect(words(code)).toMatch(expected);
  });

  test('a quick tunnel that is a minute old isn’t told to change DNS records', () => {
    const base = 'https://warm-light-on-porch.trycloudflare.com';
    const codes = ['ENOTFOUND', 'EAI_AGAIN', 'ERR_TLS_CERT_ALTNAME_INVALID'];
    const silent = codes.map((code) =>
      fetchTrouble(base, new FetchError('fetch_failed', Object.assign(new Error('x'), { code }))),
    );
    const answered = [
      [530, 'error code: 1033'],
      [530, 'error code: 1016'],
      [522, ''],
      [404, '<title>Not found</title>'],
    ].map(([status, body]) =>
      strangerAt(base, { status, headers: headers({}), text: () => body } as unknown as FetchedResponse),
    );
    for (const { detail, fix } of [...silent, ...answered]) {
      expect(detail).toContain('warm-light-on-porch.trycloudflare.com doesn’t lead to this computer yet');
      expect(fix).toContain('Check again in a minute');
      expect(fix).not.toMatch(/DNS|record|domain|dashboard/);
    }
    expect(
      strangerAt('https://porch.example', {
        status: 522,
        headers: headers({}),
        text: () => '',
      } as unknown as FetchedResponse).fix,
    ).toContain('CNAME record');
  });

  test('several failed addresses are reported by the first', () => {
    const refused = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
    const error = new FetchError('fetch_failed', new AggregateError([refused, new Error('y')]));
    expect(fetchTrouble('https://porch.example', error).detail).toMatch(/refuses connections/);
  });

  test('an address inside the owner’s network, and an address that does not answer', () => {
    const trouble = (code: 'fetch_refused_address' | 'fetch_timeout') =>
      fetchTrouble('https://porch.example', new FetchError(code)).detail;
    expect(trouble('fetch_refused_address')).toMatch(/inside your own network/);
    expect(trouble('fetch_timeout')).toMatch(/in time/);
  });
});
