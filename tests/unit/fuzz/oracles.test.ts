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

const response = (status: string, ...rest: string[]) => `HTTP/1.1 ${status}\r\n${rest.join('\r\n')}\r\n\r\n`;
const page = (body: string, status = '200 OK') => response(status) + body;
const full = response('503 Service Unavailable', 'Retry-After: 600');
/** A thread that got no processor. */
const starved = `${response('503 Service Unavailable', 'Retry-After: 60')}{"error_description":"This server can't do this at the moment. Try again later."}`;
const stack = 'Error: x\n    at read (file:///app/headless.js:10:20)';
const secret = 'a-token-of-some-length';
const folder = '/tmp/porchlight-fuzz-1/posts';
const activity = [{ words: 'You deleted the note at /2026/11/22/a.' }, { at: '2026-11-22T02:14:19.000Z' }];
const bad = '400 Bad Request';

test.each<[name: string, answer: string, found: string[], changes?: Partial<FuzzRequest>]>([
  ['of 500', response('500 Internal Server Error'), ['status']],
  ['of 404', response('404 Not Found'), []],
  [
    'of 500 that comes second',
    `${response('200 OK', 'Content-Length: 2')}ok${response('500 X')}`,
    ['status'],
  ],
  ['of 503 at a known limit, with the time to retry', full, [], { route: '/webmention' }],
  ['of 503 without that time', response('503 X'), ['status'], { route: '/webmention' }],
  ['of 503 at a route without a limit', full, ['status'], { route: '/token' }],
  ['of 503 without a processor', starved, [], { route: '/media' }],
  ['of 503 without a processor elsewhere', starved, ['status'], { route: '/feed.json' }],
  ['of 503 in other words', starved.replace('at the moment', 'ever'), ['status'], { route: '/media' }],
  ['of 507', response('507 Insufficient Storage', 'Retry-After: 1'), ['status']],
  ['with a secret', page(secret, bad), ['leak']],
  ['with a secret that the visitor sent', page(secret, bad), [], { bytes: Buffer.from(`GET /?a=${secret}`) }],
  ['with the data folder', page(folder, bad), ['leak']],
  ['with the data folder, to the owner', page(folder, bad), [], { listener: 'console' }],
  ['with a stack trace', page(stack, bad), ['leak']],
  ['with a stack trace without scheme', page('Error: x\n    at /app/headless.js:10:20', bad), ['leak']],
  ['with a stack trace of Node', page('x\n    at async node:internal/process/task_queues:95:5'), ['leak']],
  ['with a stack trace of Windows', page('x\n    at new Reader (C:\\app\\headless.js:1:2)'), ['leak']],
  [
    'with a stack trace, to the owner',
    page(stack),
    ['leak'],
    { listener: 'console', route: '/api/status.get' },
  ],
  ['with the log, to the owner', page(stack), [], { listener: 'console', route: '/api/support.file' }],
  ['with the log, to a visitor', page(stack), ['leak'], { route: '/api/support.file' }],
  ['with a path that JSON ends before a time', page(JSON.stringify(activity)), []],
  ['with a stack trace in JSON', page(JSON.stringify([{ words: stack }])), ['leak']],
  ['with words and times', page('Meet me at /cafe at 10:30:20, or look at http://x/'), []],
])('an answer %s: %j leads to the findings %j', (_, answer, found, changes) => {
  expect(kinds(answered(answer), changes)).toEqual(found);
});

test('a missing answer is a finding if one is due', () => {
  const silence: Outcome = { text: '', statuses: [], ms: 15_000, isSilent: true };
  expect(kinds(silence)).toEqual(['silence']);
  expect(kinds(silence, { mustAnswer: false })).toEqual([]);
});

test('a program that accepts no connection has crashed', () => {
  expect(kinds({ text: '', statuses: [], ms: 1, isSilent: false, refused: 'ECONNREFUSED' })).toEqual([
    'crash',
  ]);
});

describe('a log line', () => {
  const line = (level: number, msg: string) => `${JSON.stringify({ level, msg })}\n`;
  const found = (text: string) => judgeLog(text, secrets).map(({ kind }) => kind);

  test('of an error is a finding, a warning is not', () => {
    expect(found(line(40, 'careful') + line(30, 'hello'))).toEqual([]);
    expect(found(line(50, 'request failed'))).toEqual(['log']);
  });

  test('of a thread that got no processor is no finding', () => {
    const entry = (why: string) =>
      `${JSON.stringify({ level: 50, err: { stack: `Error\nCaused by: The job has no result: ${why}.` } })}\n`;
    expect(found(entry('starved'))).toEqual([]);
    expect(found(entry('not-started'))).toHaveLength(1);
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

  test('is a stall if an answer took over a second, but not if others had the processor', () => {
    expect(found(0, 1500, 100)).toEqual(['stall']);
    expect(found(0, 1500, 900)).toEqual([]);
  });

  test('is measured with how slow the computer itself is', () => {
    expect(found(2000, 0, 0, 21)).toEqual([]);
    expect(found(2000, 0, 0, 19)).toEqual(['stall']);
  });
});
