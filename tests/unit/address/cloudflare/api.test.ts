import { describe, expect, onTestFinished, test } from 'vitest';
import { CloudflareApi } from '../../../../src-main/address/cloudflare/api.ts';
import { CloudflareError } from '../../../../src-main/address/cloudflare/answers.ts';
import { cloudflareApiBase } from '../../../../src-main/address/cloudflare/requests.ts';
import { createGuardedFetch } from '../../../../src-main/platform/guarded-fetch.ts';
import {
  fakeCloudflareApi,
  type FakeCloudflareApi,
  type Trouble,
} from '../../../support/fake-cloudflare-api.ts';

/** The stand-in and a client whose pauses pass at once. */
async function scene(options: { token?: string; timeoutMs?: number } = {}) {
  const fake = await fakeCloudflareApi();
  const guarded = createGuardedFetch({ allowPrivate: true, userAgent: 'Test' });
  onTestFinished(async () => {
    await guarded.close();
    await fake.close();
  });
  const { timeoutMs } = options;
  const pauses: number[] = [];
  const api = new CloudflareApi({
    fetch: (url, asked) => guarded(url, { ...asked, ...(timeoutMs !== undefined && { timeoutMs }) }),
    base: fake.base,
    token: options.token ?? fake.token,
    signal: new AbortController().signal,
    pause: (ms) => {
      pauses.push(ms);
      return Promise.resolve();
    },
  });
  const account = fake.account.id;
  return { fake, api, pauses, account, zone: fake.zone.id };
}

async function failure(work: Promise<unknown>): Promise<CloudflareError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof CloudflareError)) throw new Error(`It did not fail as expected: ${String(error)}`);
  return error;
}

const upload = {
  script: 'export default {}',
  compatibilityDate: '2026-10-01',
  durableObject: { binding: 'MAILBOX', className: 'Mailbox' },
  secrets: { PROOF_KEY: 'proof' },
  texts: { SEALING_KEY: 'public' },
};

describe('the calls', () => {
  test('a tunnel is created, configured, run and deleted with its connections', async () => {
    const { fake, api, account } = await scene();
    const { id } = await api.createTunnel(account, 'porchlight-1');
    await api.configureTunnel(account, id, 'porch.example.com', 'http://127.0.0.1:4180');
    expect(await api.tunnelToken(account, id)).toBe('run-token-of-porchlight-1');
    expect(fake.tunnels[0]).toMatchObject({
      ingress: [
        { hostname: 'porch.example.com', service: 'http://127.0.0.1:4180' },
        { service: 'http_status:404' },
      ],
    });
    expect(await api.findTunnel(account, 'porchlight-1')).toMatchObject({ id });
    await api.deleteTunnel(account, id);
    expect(await api.findTunnel(account, 'porchlight-1')).toBeUndefined();
    // Cloudflare still shows it.
    expect(await api.tunnel(account, id)).toBeUndefined();
    expect(fake.problems).toEqual([]);
  });

  test('a tunnel whose creation was not answered is found, not created twice', async () => {
    const { fake, api, account } = await scene();
    const first = fake.addTunnel('porchlight-1');
    expect(await api.createTunnel(account, 'porchlight-1')).toMatchObject({ id: first.id });
    expect(fake.tunnels).toHaveLength(1);
  });

  test('a Worker is uploaded with its bindings, and again without its migration', async () => {
    const { fake, api, account } = await scene();
    await api.uploadWorker(account, 'box', upload);
    await api.uploadWorker(account, 'box', { ...upload, script: 'export default 2' });
    expect(fake.scripts).toEqual([
      {
        name: 'box',
        module: 'export default 2',
        compatibilityDate: '2026-10-01',
        migrationTag: 'v1',
        sqliteClasses: ['Mailbox'],
        bindings: [
          { type: 'durable_object_namespace', name: 'MAILBOX', class_name: 'Mailbox' },
          { type: 'secret_text', name: 'PROOF_KEY', text: 'proof' },
          { type: 'plain_text', name: 'SEALING_KEY', text: 'public' },
        ],
      },
    ]);
    expect(fake.problems).toEqual([]);
  });

  test('a route waits until Cloudflare knows the Worker', async () => {
    const { fake, api, account, zone } = await scene();
    await api.uploadWorker(account, 'box', upload);
    fake.trouble({ on: /^POST .*routes/, times: 2, answer: { status: 400, code: 10019 } });
    expect(await api.createRoute(zone, 'porch.example.com/*', 'box')).toMatchObject({
      pattern: 'porch.example.com/*',
    });
    expect(fake.routes).toHaveLength(1);
  });

  test('deleting something that is already gone succeeds', async () => {
    const { fake, api, account, zone } = await scene();
    const gone = '0'.repeat(32);
    await api.deleteTunnel(account, '00000000-0000-0000-0000-000000000000');
    expect(await api.deleteRecord(zone, gone)).toBe(false);
    expect(await api.deleteWorker(account, 'box')).toBe(false);
    expect(await api.deleteRoute(zone, gone)).toBe(false);
    expect(fake.problems).toEqual([]);
  });

  test('a token that belongs to the account is verified there', async () => {
    const { fake, api } = await scene();
    fake.tokenOwner = 'account';
    await api.verifyToken();
    expect(fake.requests.at(-1)).toBe(`GET /accounts/${fake.account.id}/tokens/verify`);
    expect(fake.problems).toEqual([]);
  });

  test('all pages of the domains are read', async () => {
    const { fake, api } = await scene();
    fake.otherZones = 120;
    expect(await api.zones()).toHaveLength(121);
  });
});

describe('a failure says what to do', () => {
  const cases: readonly (readonly [string, Trouble['answer'], string, RegExp])[] = [
    ['an invalid token', { status: 401, code: 10000 }, 'cloudflare_token', /doesn’t accept this API token/],
    ['a missing permission', { status: 403, code: 10000 }, 'cloudflare_token', /“Zone · DNS · Edit”/],
    ['a foreign record', { status: 400, code: 81053 }, 'cloudflare_name_taken', /Choose another name/],
    [
      'a full zone',
      { status: 400, code: 81045, message: 'Record quota exceeded.' },
      'cloudflare_limit',
      /plan doesn’t allow more/,
    ],
    [
      'an unverified address',
      { status: 403, code: 10034 },
      'cloudflare_failed',
      /email address isn’t verified/,
    ],
    ['Workers never used', { status: 400, code: 10063 }, 'cloudflare_failed', /never used Workers/],
    [
      'a rate limit that lasts',
      { status: 429, code: 971, retryAfter: 300 },
      'cloudflare_failed',
      /Wait five minutes/,
    ],
    ['a broken API', { status: 503 }, 'cloudflare_failed', /status 503.*cloudflarestatus/],
    [
      'an unknown refusal',
      { status: 400, code: 1004, message: 'DNS Validation Error' },
      'cloudflare_failed',
      /“DNS Validation Error” \(code 1004\)/,
    ],
    ['a malformed answer', 'nonsense', 'cloudflare_failed', /couldn’t understand/],
    ['a lost connection', 'hangUp', 'cloudflare_failed', /couldn’t reach Cloudflare’s API/],
  ];

  test.each(cases)('%s', async (_name, answer, code, words) => {
    const { fake, api, zone } = await scene();
    fake.trouble({ on: /^POST/, answer });
    const content = '00000000-0000-0000-0000-000000000000.cfargotunnel.com';
    const error = await failure(api.createRecord(zone, 'porch.example.com', content));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(words);
  });

  test('no answer in time', async () => {
    const { fake, api, account } = await scene({ timeoutMs: 100 });
    fake.trouble({ on: /^GET/, answer: 'slow' });
    expect((await failure(api.scripts(account))).message).toContain('took too long');
  });

  test('an answer of another shape', async () => {
    const { fake, api, account } = await scene();
    fake.tunnels.push({ id: 'no-uuid', name: 'x', ingress: [], isConnected: false });
    expect((await failure(api.findTunnel(account, 'x'))).message).toContain('couldn’t understand');
  });

  test.each([
    ['expired', 'user'],
    ['disabled', 'user'],
    ['expired', 'account'],
  ] as const)('a token that is %s, of the %s', async (status, owner) => {
    const { fake, api } = await scene();
    fake.tokenStatus = status;
    fake.tokenOwner = owner;
    const error = await failure(api.verifyToken());
    expect([error.code, error.message]).toEqual(['cloudflare_token', expect.stringContaining(status)]);
  });

  test('another token than Cloudflare knows', async () => {
    const { api, account } = await scene({ token: 'other-token' });
    for (const work of [() => api.verifyToken(), () => api.scripts(account)])
      expect((await failure(work())).message).toContain('doesn’t accept this API token');
  });

  test('the token is in no message, even if Cloudflare repeats it', async () => {
    const { fake, api, account } = await scene();
    fake.trouble({ on: /^GET/, answer: { status: 400, code: 1, message: `No: ${fake.token}` } });
    const error = await failure(api.scripts(account));
    expect(error.message).toContain('No: [token]');
    expect(JSON.stringify([error.message, String(error.cause)])).not.toContain(fake.token);
  });
});

describe('a request is repeated', () => {
  test.each([503, 500] as const)('after status %s, if it can do no harm twice', async (status) => {
    const { fake, api, account } = await scene();
    fake.trouble({ on: /^GET/, times: 2, answer: { status } });
    expect(await api.scripts(account)).toEqual([]);
    expect(fake.requests).toHaveLength(3);
  });

  test('not after status 503, if it could create something twice', async () => {
    const { fake, api, account } = await scene();
    fake.trouble({ on: /^POST/, answer: { status: 503 } });
    await failure(api.createTunnel(account, 'porchlight-1'));
    expect(fake.requests).toHaveLength(1);
  });

  test('after 429, when Cloudflare says so', async () => {
    const { fake, api, account, pauses } = await scene();
    fake.trouble({ on: /^POST/, times: 1, answer: { status: 429, code: 971, retryAfter: 7 } });
    await api.createTunnel(account, 'porchlight-1');
    expect(pauses).toEqual([7000]);
  });
});

describe('the base address', () => {
  test('is Cloudflare’s, or the one in the environment', () => {
    const given = (value?: string) => cloudflareApiBase({ PORCHLIGHT_CLOUDFLARE_API: value });
    expect(given()).toBe('https://api.cloudflare.com/client/v4');
    expect(given('http://127.0.0.1:8080/v4/')).toBe('http://127.0.0.1:8080/v4');
    expect(given('https://api.test/v4')).toBe('https://api.test/v4');
    for (const refused of ['http://api.test', 'file:///etc', 'nonsense'])
      expect(() => given(refused)).toThrow('must begin with https://');
  });
});

test('no redirect is followed, so the token stays with Cloudflare', async () => {
  const { fake, api, account } = await scene();
  const other: FakeCloudflareApi = (await scene()).fake;
  fake.trouble({ on: /^GET/, answer: { status: 307, location: `${other.base}/zones` } });
  await failure(api.scripts(account));
  expect(other.requests).toEqual([]);
});
