import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readTailscale, tailscaleIn } from '../../../src-main/platform/other-programs.ts';
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

  test('is connected where it does not know itself yet', () => {
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

  test('that does not answer is given up after three seconds', async () => {
    vi.stubEnv('FAKE_TAILSCALE', 'slow');
    const started = performance.now();
    expect(await readTailscale('linux')).toEqual(stopped);
    expect(performance.now() - started).toBeLessThan(limitOf(20_000));
  });

  test('that is not installed is missing', async () => {
    vi.stubEnv('PATH', '/nowhere');
    expect(await readTailscale('linux')).toEqual({ state: 'missing', name: null });
  });
});
