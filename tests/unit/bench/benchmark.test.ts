import { expect, test } from 'vitest';
import { filled, sourceOf } from '../../bench/load.ts';
import { measure, type Name } from '../../bench/measure.ts';
import { readBenchOptions } from '../../bench/options.ts';
import { topFunctions } from '../../bench/profile.ts';
import { growthTable, mainTable } from '../../bench/table.ts';
import { goalOf, growthOf, isMet, ratioOf, type Line } from '../../bench/targets.ts';

/** A server whose operations cost what `costs` says, round after round, in ms of processor time. */
function contender(name: Name, costs: readonly number[], order: string[]) {
  let round = 0;
  return {
    name,
    run(amount: number) {
      order.push(`${name} ${amount}`);
      // The first runs find out how many operations fit into a round.
      const cpuMs = amount < 10 ? 1 : (costs[round++ % costs.length] ?? 0);
      return Promise.resolve({ cpuMs: cpuMs * amount, seconds: amount / 100, operations: amount });
    },
  };
}

test('the rounds are interleaved, and the medians count', async () => {
  const order: string[] = [];
  const contenders = [contender('bare', [1, 9, 2], order), contender('now', [30, 10, 20], order)];
  const { cpuMs, perSecond } = await measure(contenders, { seconds: 0.2, rounds: 3 });
  expect(cpuMs).toEqual({ bare: 2, now: 20 });
  expect(perSecond).toEqual({ bare: 100, now: 100 });
  expect(order.slice(-6)).toEqual(['bare 20', 'now 20', 'bare 20', 'now 20', 'bare 20', 'now 20']);
});

test('a round has no more operations than the row allows', async () => {
  const order: string[] = [];
  await measure([contender('now', [1], order)], { seconds: 60, rounds: 1, most: 40 });
  expect(order).toEqual(['now 1', 'now 1', 'now 8', 'now 40', 'now 40']);
});

test('a fixed number of operations is done once to warm up, and in each round', async () => {
  const order: string[] = [];
  await measure([contender('now', [1], order)], { seconds: 60, rounds: 2, amount: 5 });
  expect(order).toEqual(['now 5', 'now 5', 'now 5']);
});

const home: Line = {
  name: 'home',
  title: 'home, 20 posts',
  unit: 'cpu',
  value: { bare: 0.026, before: 1.25, now: 0.034, nowMuch: 0.07 },
  perSecond: { bare: 20_000, before: 790, now: 12_000 },
};

test('processor time is compared with the baseline, and a target is met from its value on', () => {
  expect(ratioOf(home, 'before')).toBeCloseTo(0.0208);
  expect(ratioOf(home, 'now')).toBeCloseTo(0.765);
  expect(isMet(home)).toBe(true);
  expect(isMet({ ...home, value: { bare: 0.026, now: 0.035 } })).toBe(false);
  expect(growthOf(home, 'now')).toBeCloseTo(2.06);
});

test('starts are compared by how much longer they take, memory after load with memory at rest', () => {
  const start: Line = {
    name: 'start',
    title: 'start',
    unit: 'ms',
    value: { bare: 200, before: 500, now: 300 },
  };
  expect([ratioOf(start, 'before'), ratioOf(start, 'now'), isMet(start)]).toEqual([2.5, 1.5, true]);
  const memory: Line = {
    name: 'after-load',
    title: 'after',
    unit: 'MB',
    value: { now: 121 },
    base: { now: 100 },
  };
  expect([ratioOf(memory, 'now'), isMet(memory)]).toEqual([1.21, false]);
});

test('a target that the program before already meets is not to be worse than before', () => {
  const list: Line = { name: 'list', title: 'q=source', unit: 'cpu', value: { bare: 0.018, before: 0.03 } };
  const withNow = (now: number): Line => ({ ...list, value: { ...list.value, now } });
  expect(goalOf(list)).toEqual({ value: 0.6, atLeast: true, isOfBefore: true });
  // Runs differ by five per cent.
  expect([0.025, 0.0314, 0.032].map((now) => isMet(withNow(now)))).toEqual([true, true, false]);
  expect(mainTable([withNow(0.032)])).toMatch(/>= 0\.60\* +no/);
  const earlier = { ...list.value, before: 0.04 };
  expect(goalOf({ ...list, value: earlier })).toMatchObject({ value: 0.55, isOfBefore: false });
  const rest: Line = { name: 'wakeups', title: 'wakeups', unit: 'wakeups', value: { before: 2, now: 2.2 } };
  expect([isMet(rest), isMet({ ...rest, value: { now: 1 } })]).toEqual([false, undefined]);
});

test('a value that was not measured meets nothing and is shown as missing', () => {
  const line: Line = { name: 'idle', title: 'idle memory', unit: 'MB', value: { bare: 80, now: Number.NaN } };
  expect(ratioOf(line, 'now')).toBeUndefined();
  expect(isMet(line)).toBeUndefined();
  expect(mainTable([line])).toMatch(/idle memory +80 MB +- +- +- +- +<= 95 MB +-/);
});

test('the tables show each value with its unit', () => {
  const [head, row] = mainTable([home]).split('\n');
  expect(head).toMatch(/bare +before +now +before\/bare +now\/bare +target +met/);
  expect(row).toMatch(
    /^home, 20 posts +26 µs +1250 µs +34 µs +0\.02 +0\.76 +>= 0\.75 +yes +20000 +790 +12000$/,
  );
  expect(growthTable([home])).toMatch(/home, 20 posts +1250 µs +- +- +34 µs +70 µs +2\.06 +<= 1\.15 +no/);
  expect(growthTable([{ ...home, value: { now: 1 } }])).not.toContain('home');
});

test('placeholders make each request different', () => {
  const request = { method: 'POST', path: '/{n}', headers: { 'cf-connecting-ip': '198.{net}' } } as const;
  const all = Array.from({ length: 20_000 }, (_, n) => filled(request, n));
  expect(new Set(all.map(({ headers }) => headers['cf-connecting-ip'])).size).toBe(20_000);
  expect(all[200]).toMatchObject({ path: '/200', headers: { 'cf-connecting-ip': '198.0.1.73' } });
  const photo = { ...request, body: 'ÿ {number}', isBinary: true };
  expect(filled(photo, 77).body).toEqual(Buffer.from('ÿ 00000077', 'latin1'));
  const source = filled({ method: 'GET', path: 'http://127.0.0.{site}:80/{n}' }, 50).path;
  expect(source).toBe(sourceOf(80, 50));
});

test('a profile names the functions with the most time of their own, without idle time', () => {
  const frame = (functionName: string, url = '') => ({
    functionName,
    url,
    scriptId: '1',
    lineNumber: 4,
    columnNumber: 0,
  });
  const text = topFunctions({
    startTime: 0,
    endTime: 10,
    nodes: [
      { id: 1, callFrame: frame('(idle)') },
      { id: 2, callFrame: frame('render', 'file:///nowhere.js') },
      { id: 3, callFrame: frame('(garbage collector)') },
      { id: 4, callFrame: frame('post', 'node:inspector') },
    ],
    samples: [1, 2, 3, 2, 4],
    timeDeltas: [900, 50, 25, 25, 900],
  });
  expect(text).toBe('   75.0 %  render  file:///nowhere.js:5\n   25.0 %  (garbage collector)');
});

test('the options have defaults, and a wrong number is refused', () => {
  expect(readBenchOptions(['home', 'create', '--seconds', '0.5'])).toMatchObject({
    rows: ['home', 'create'],
    seconds: 0.5,
    rounds: 3,
    posts: 50_000,
    mentions: 100_000,
    profile: false,
  });
  expect(() => readBenchOptions(['--rounds', 'many'])).toThrow('--rounds needs a number above 0.');
  expect(() => readBenchOptions(['--quick'])).toThrow(/quick/);
});
