import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createWorkMeter } from '../../../src-main/http/work-meter.ts';

/** Uses this many ms of CPU time. */
function busy(ms: number): void {
  const start = process.cpuUsage();
  for (let spent = 0; spent < ms * 1000;) {
    const { user, system } = process.cpuUsage(start);
    spent = user + system;
  }
}

test('work is counted, and waiting is not', async () => {
  const meter = createWorkMeter();
  const mark = meter.beginShared();
  busy(20);
  await delay(200);
  const cost = meter.endShared(mark);
  expect(cost).toBeGreaterThan(15);
  expect(cost).toBeLessThan(120);
});

test('many short pieces of work, each shorter than the pause between two readings, are counted too', () => {
  const meter = createWorkMeter();
  let cost = 0;
  for (let count = 0; count < 200; count += 1) {
    const mark = meter.beginShared();
    busy(0.2);
    cost += meter.endShared(mark);
  }
  expect(cost).toBeGreaterThan(25);
  expect(cost).toBeLessThan(120);
});

test('work that waits while others work is charged only for its own time', async () => {
  const meter = createWorkMeter();
  const waiting = meter.beginShared();
  let others = 0;
  for (let count = 0; count < 20; count += 1) {
    await delay(2);
    const mark = meter.beginShared();
    busy(1);
    others += meter.endShared(mark);
  }
  expect(others).toBeGreaterThan(5);
  expect(meter.endShared(waiting)).toBeLessThan(60);
});
