import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readTailscale, startFunnel, tailscaleIn } from '../../../src-main/platform/other-programs.ts';
import { limitOf } from '../../support/patience.ts';

const stopped = { state: 'stopped', name: null };
const status = (name: unknown, BackendState: unknown = 'Running') =>
  JSON.stringify({ BackendState, Self: { DNSName: name } });

describe('what tailscale says', () => {
  test('names this computer without the dot at its end', () => {
    const found = { state: 'running', name: 'den.tail1a2b3.ts.net' };
    expect(tailscaleIn(status('Den.tail1a2b3.ts.net.'))).toEqual(found);
  });

  test.each([
    '',
    'ts.net.',
    'tail1a2b3.example.com.',
    'evil.example/.a.ts.net',
    '-x.tail.ts.net',
    `${'a'.repeat(64)}.t.ts.net`,
  ])('is connected without a name that Funnel could use: %j', (name) =>
    expect(tailscaleIn(status(name))).toEqual({ state: 'running', name: null }),
  );

  test.each(['', 'null', '[]', '{"Self":{}}', status(7), status('den.t.ts.net.', 'NeedsLogin'), 'not JSON'])(
    'is not connected: %j',
    (text) => expect(tailscaleIn(text)).toEqual(stopped),
  );

  test('is connected if it does not know itself yet', () => {
    expect(tailscaleIn('{"BackendState":"Running","Self":null}')).toEqual({ state: 'running', name: null });
  });
});

describe.skipIf(process.platform === 'win32')('the tailscale command', () => {
  const folder = path.join(import.meta.dirname, '../../support/fake-tailscale');
  beforeEach(() => vi.stubEnv('PATH', `${folder}:${process.env['PATH'] ?? ''}`));
  afterEach(() => vi.unstubAllEnvs());

  test('tells the name that Funnel would give this computer', async () => {
    vi.stubEnv('FAKE_TAILSCALE', 'running');
    expect(await readTailscale('linux')).toEqual({ state: 'running', name: 'den.tail1a2b3.ts.net' });
  });

  test.each(['stopped', 'broken', 'chatty'])('that is %s counts as stopped', async (how) => {
    vi.stubEnv('FAKE_TAILSCALE', how);
    expect(await readTailscale('linux')).toEqual(stopped);
  });

  test('that does not answer is dropped after three seconds', async () => {
    vi.stubEnv('FAKE_TAILSCALE', 'slow');
    const started = performance.now();
    expect(await readTailscale('linux')).toEqual(stopped);
    expect(performance.now() - started).toBeLessThan(limitOf(20_000));
  });

  test('that is not installed is missing', async () => {
    vi.stubEnv('PATH', '/nowhere');
    expect(await readTailscale('linux')).toEqual({ state: 'missing', name: null });
  });

  test('starts Funnel, and returns the public address', async () => {
    vi.stubEnv('FAKE_TAILSCALE', 'running');
    expect(await startFunnel(4180, 'linux')).toEqual({
      state: 'started',
      url: 'https://den.tail1a2b3.ts.net',
    });
  });

  test.each(['consent', 'exits'])(
    'leads to Tailscale’s page if the owner has to allow Funnel first (%s), without waiting',
    async (how) => {
      vi.stubEnv('FAKE_TAILSCALE', 'running');
      vi.stubEnv('FAKE_FUNNEL', how);
      const started = performance.now();
      expect(await startFunnel(4180, 'linux')).toEqual({
        state: 'consent',
        url: 'https://login.tailscale.com/f/funnel?node=nXXXXXXXXCNTRL',
      });
      expect(performance.now() - started).toBeLessThan(limitOf(20_000));
    },
  );

  test('gives Tailscale’s reason, as one line, if Funnel can’t start', async () => {
    vi.stubEnv('FAKE_TAILSCALE', 'running');
    vi.stubEnv('FAKE_FUNNEL', 'denied');
    await expect(startFunnel(4180, 'linux')).rejects.toMatchObject({
      code: 'funnel_failed',
      message:
        "sending serve config: Access denied: serve config denied Use 'sudo tailscale funnel --bg 4180'.",
    });
  });

  test.each(['stopped', 'broken'])('starts no Funnel while Tailscale is %s', async (how) => {
    vi.stubEnv('FAKE_TAILSCALE', how);
    await expect(startFunnel(4180, 'linux')).rejects.toMatchObject({ code: 'funnel_failed' });
  });
});
