import { spawnSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { devNull } from 'node:os';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLog, silentLog } from '../../../src-main/platform/log.ts';
import { PorchlightError } from '../../../src-main/contract/error.ts';

const program = `
  import { createKeptLog } from ${JSON.stringify(new URL('../../../src-main/platform/log.ts', import.meta.url))};
  const log = createKeptLog({ level: 'info' }, { write: (line) => process.stdout.write(line) });
  log.info('one');
  log.fatal({ err: new Error('two') }, 'failed');
`;

test('a stderr that takes nothing keeps no line from the file, and ends nothing', async () => {
  // Open for reading only: each write to it fails.
  const nowhere = await open(devNull, 'r');
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', nowhere.fd],
    encoding: 'utf8',
  });
  await nowhere.close();
  expect(status).toBe(0);
  expect(stdout.trimEnd().split('\n')).toEqual([
    expect.stringContaining('"msg":"one"'),
    expect.stringContaining('Error: two'),
  ]);
});

function record(level: 'debug' | 'info' = 'info') {
  const lines: string[] = [];
  const log = createLog({ level }, { write: (line) => void lines.push(line) });
  return { log, lines, last: () => JSON.parse(lines.at(-1)!) as Record<string, unknown> };
}

describe('the log', () => {
  test('has one line in 10 s about a disk that takes nothing, in place of a stack for each request', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { log, lines, last } = record();
    const err = () => new PorchlightError('storage_gone', 'The folder is gone.', 507);
    for (let request = 0; request < 20; request += 1) log.error({ err: err() }, 'request failed');
    expect(lines).toHaveLength(1);
    expect(last()).toMatchObject({ level: 50, msg: 'The folder is gone.' });
    expect(last()).not.toHaveProperty('err');
    vi.advanceTimersByTime(10_000);
    log.warn({ err: err() }, 'in the background');
    expect(lines).toHaveLength(2);
  });

  test.each([
    'authorization',
    'cookie',
    'set-cookie',
    'code',
    'code_verifier',
    'token',
    'access_token',
    'refresh_token',
    'ownerKey',
    'managementToken',
    'password',
    'secret',
  ])('leaves out %s at every depth', (key) => {
    const { log, lines, last } = record();
    const secret = { [key]: 'hush-hush', kept: 'said' };
    log.info({ ...secret, a: secret, b: { c: secret }, d: { e: { f: { ...secret, g: secret } } } }, 'hello');
    expect(lines[0]).not.toContain('hush-hush');
    expect(lines[0]?.split('[redacted]').length).toBe(6);
    expect(last()).toMatchObject({ kept: 'said', a: { kept: 'said' }, msg: 'hello' });
  });

  test('leaves out a list of cookies', () => {
    const { log, lines } = record();
    log.info({ res: { headers: { 'set-cookie': ['a=hush-hush', 'b=hush-hush'] } } });
    expect(lines[0]).not.toContain('hush-hush');
  });

  test('leaves out what a child logger is bound to', () => {
    const { log, lines } = record();
    log.child({ token: 'hush-hush', part: 'indieauth' }).info('x');
    expect(lines[0]).not.toContain('hush-hush');
    expect(lines[0]).toContain('indieauth');
  });

  test('leaves out secrets in query strings and bearer tokens in any text', () => {
    const { log, last } = record();
    log.info(
      { url: '/webmentions?token=hush&url=https://a.example/&code=hush#x' },
      'got Bearer abc.def-_~+/== here',
    );
    expect(last()).toMatchObject({
      url: '/webmentions?token=[redacted]&url=https://a.example/&code=[redacted]#x',
      msg: 'got Bearer [redacted] here',
    });
  });

  test('leaves out secrets in the message and stack of an error, and keeps its code', () => {
    const { log, lines, last } = record();
    const cause = Object.assign(new Error('GET /x?access_token=hush failed'), { code: 'ECONNREFUSED' });
    log.error({ err: new PorchlightError('fetch_failed', 'No answer.', 400, { cause }) }, 'failed');
    expect(lines[0]).not.toContain('hush');
    expect(last()).toMatchObject({ err: { code: 'fetch_failed' } });
  });

  test('leaves other words alone', () => {
    const { log, last } = record();
    log.info({ statusCode: 200, tokenType: 'x', url: '/page?postcode=1234&keyword=b' }, 'a bearer of news');
    expect(last()).toMatchObject({ statusCode: 200, tokenType: 'x', url: '/page?postcode=1234&keyword=b' });
    log.info({ exit: { code: 1 }, token: null });
    expect(last()).toMatchObject({ exit: { code: 1 }, token: null });
  });

  test('every line is whole JSON, whatever the text', () => {
    const { log, last } = record();
    log.info({ url: '/?token=a"b\\c' }, 'token="x"\n?code=\u2028"quoted\\"');
    expect(last()['msg']).toContain('token="[redacted]"\n?code=');
  });

  test('says only what its level asks for', () => {
    const { log, lines } = record('info');
    log.debug('quiet');
    expect(lines).toEqual([]);
    expect(silentLog.level).toBe('silent');
  });
});
