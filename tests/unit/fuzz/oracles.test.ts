import { describe, expect, test } from 'vitest';
import { judgeLog, judgeOutcome, judgePulse, statusesOf, type Outcome } from '../../fuzz/oracles.ts';
import type { FuzzRequest } from '../../fuzz/request.ts';

const request: FuzzRequest = {
  number: 7,
  generator: 'protocol',
  route: '/micropub',
  listener: 'public',
  bytes: Buffer.from('GET /micropub HTTP/1.1\r\nHost: x\r\n\r\n'),
  delivery: { kind: 'whole' },
  mustAnswer: true,
};
const secrets = [
  { name: 'fullToken', text: 'a-token-of-some-length' },
  { name: 'data folder', text: '/tmp/porchlight-fuzz-1', ownerMayKnow: true },
];

function answered(text: string): Outcome {
  return { text, statuses: statusesOf(text), ms: 5, isSilent: false };
}
const kinds = (outcome: Outcome, changes: Partial<FuzzRequest> = {}) =>
  judgeOutcome({ ...request, ...changes }, outcome, secrets).map(({ kind }) => kind);

describe('an answer', () => {
  test('of 500 is a finding, of 404 is not', () => {
    expect(kinds(answered('HTTP/1.1 500 Internal Server Error\r\n\r\n'))).toEqual(['status']);
    expect(kinds(answered('HTTP/1.1 404 Not Found\r\n\r\n'))).toEqual([]);
  });

  test('of 500 is a finding as well if it comes second on its connection', () => {
    const first = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
    expect(kinds(answered(`${first}HTTP/1.1 500 Internal Server Error\r\n\r\n`))).toEqual(['status']);
  });

  test('of 503 is no finding if the limit is known and names the time to retry', () => {
    const full = 'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 600\r\n\r\n';
    const mute = 'HTTP/1.1 503 Service Unavailable\r\n\r\n';
    expect(kinds(answered(full), { route: '/webmention' })).toEqual([]);
    expect(kinds(answered(mute), { route: '/webmention' })).toEqual(['status']);
    expect(kinds(answered(full), { route: '/token' })).toEqual(['status']);
  });

  test('of 503 is no finding if a thread got no processor, but other reasons are told apart by its log entry', () => {
    const words = '{"error_description":"This server can\'t do this at the moment. Try again later."}';
    const text = `HTTP/1.1 503 Service Unavailable\r\nRetry-After: 60\r\n\r\n${words}`;
    expect(kinds(answered(text), { route: '/media' })).toEqual([]);
    expect(kinds(answered(text), { route: '/feed.json' })).toEqual(['status']);
    expect(kinds(answered(text.replace('at the moment', 'ever')), { route: '/media' })).toEqual(['status']);
    const entry = (why: string) =>
      `${JSON.stringify({ level: 50, err: { stack: `Error\nCaused by: The job has no result: ${why}.` } })}\n`;
    expect(judgeLog(entry('starved'), secrets)).toEqual([]);
    expect(judgeLog(entry('not-started'), secrets)).toHaveLength(1);
  });

  test('of 507 is a finding everywhere', () => {
    expect(kinds(answered('HTTP/1.1 507 Insufficient Storage\r\nRetry-After: 1\r\n\r\n'))).toEqual([
      'status',
    ]);
  });

  test('that is missing is a finding if one is due', () => {
    const silence: Outcome = { text: '', statuses: [], ms: 15_000, isSilent: true };
    expect(kinds(silence)).toEqual(['silence']);
    expect(kinds(silence, { mustAnswer: false })).toEqual([]);
  });

  test('cannot come from a program that accepts no connection', () => {
    expect(kinds({ text: '', statuses: [], ms: 1, isSilent: false, refused: 'ECONNREFUSED' })).toEqual([
      'crash',
    ]);
  });

  test('with a secret is a leak, unless the visitor sent it', () => {
    const leak = answered('HTTP/1.1 400 Bad Request\r\n\r\na-token-of-some-length');
    expect(kinds(leak)).toEqual(['leak']);
    expect(kinds(leak, { bytes: Buffer.from('GET /?token=a-token-of-some-length HTTP/1.1') })).toEqual([]);
  });

  test('with the data folder is a leak to a visitor, not to the owner', () => {
    const leak = answered('HTTP/1.1 400 Bad Request\r\n\r\n/tmp/porchlight-fuzz-1/posts');
    expect(kinds(leak)).toEqual(['leak']);
    expect(kinds(leak, { listener: 'console' })).toEqual([]);
  });

  test.each([
    'Error: x\n    at Object.read (file:///app/out/main/headless.js:10:20)',
    'Error: x\n    at /app/out/main/headless.js:10:20',
    'Error: x\n    at async node:internal/process/task_queues:95:5',
    'Error: x\n    at new Reader (C:\\app\\headless.js:1:2)',
  ])('with a stack trace is a leak: %j', (stack) => {
    expect(kinds(answered(`HTTP/1.1 400 Bad Request\r\n\r\n${stack}`))).toEqual(['leak']);
  });

  test('with a stack trace is a leak to the owner too, but not in the log that the support file repeats', () => {
    const stack = answered('HTTP/1.1 200 OK\r\n\r\nError: x\n    at read (file:///app/headless.js:10:20)');
    expect(kinds(stack, { listener: 'console', route: '/api/status.get' })).toEqual(['leak']);
    expect(kinds(stack, { listener: 'console', route: '/api/support.file' })).toEqual([]);
    expect(kinds(stack, { route: '/api/support.file' })).toEqual(['leak']);
  });

  test('with a path that JSON ends before a time is no finding, but a stack trace in JSON is a leak', () => {
    const path = [
      { words: 'You deleted the note at /2026/11/22/a.' },
      { id: 'x', at: '2026-11-22T02:14:19.000Z' },
    ];
    expect(kinds(answered(`HTTP/1.1 200 OK\r\n\r\n${JSON.stringify(path)}`))).toEqual([]);
    const stack = [{ words: 'Error: x\n    at read (file:///app/headless.js:10:20)' }];
    expect(kinds(answered(`HTTP/1.1 200 OK\r\n\r\n${JSON.stringify(stack)}`))).toEqual(['leak']);
  });

  test('with words and times is no finding', () => {
    expect(
      kinds(answered('HTTP/1.1 200 OK\r\n\r\nMeet me at /cafe at 10:30:20, or look at http://x/')),
    ).toEqual([]);
  });
});

describe('a log line', () => {
  const line = (level: number, msg: string) => `${JSON.stringify({ level, msg })}\n`;
  const found = (text: string) => judgeLog(text, secrets).map(({ kind }) => kind);

  test('of an error is a finding, a warning is not', () => {
    expect(found(line(40, 'careful') + line(30, 'hello'))).toEqual([]);
    expect(found(line(50, 'request failed'))).toEqual(['log']);
  });

  test('that is no JSON is a finding: something went around the log', () => {
    expect(found('(node:1) Warning: something\n')).toEqual(['log']);
  });

  test('with a secret is a leak; the data folder may be named', () => {
    expect(found(line(30, 'token a-token-of-some-length'))).toEqual(['leak']);
    expect(found(line(30, 'opened /tmp/porchlight-fuzz-1'))).toEqual([]);
  });
});

describe('a pulse', () => {
  const found = (blocked: number, answered: number, contended: number, reading = 10) =>
    judgePulse({ blocked, answered, contended, reading }).map(({ kind }) => kind);

  test('is a stall if the main thread was not free for over a second', () => {
    expect(found(1001, 0, 5000)).toEqual(['stall']);
    expect(found(999, 999, 0)).toEqual([]);
  });

  test('is a stall where an answer took over a second, but not where others had the processor', () => {
    expect(found(0, 1500, 100)).toEqual(['stall']);
    expect(found(0, 1500, 900)).toEqual([]);
  });

  test('is measured with how slow the computer itself is', () => {
    expect(found(2000, 0, 0, 21)).toEqual([]);
    expect(found(2000, 0, 0, 19)).toEqual(['stall']);
  });
});
