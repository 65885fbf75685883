import { EventEmitter } from 'node:events';
import type { PowerMonitor } from 'electron';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchScreenLock } from '../../../src-main/desktop/system-watch.ts';

let system: EventEmitter & { getSystemIdleState: () => string };
let lock: ReturnType<typeof watchScreenLock>;
beforeEach(() => {
  vi.useFakeTimers();
  system = Object.assign(new EventEmitter(), { getSystemIdleState: () => 'active' });
  lock = watchScreenLock(system as unknown as PowerMonitor);
});
afterEach(() => {
  lock.close();
  expect(system.eventNames()).toEqual([]);
  vi.useRealTimers();
});

/** Whether somebody who waits for the screen may go on. */
function waiting(signal = new AbortController().signal) {
  const state = { over: false };
  void lock.unlocked(signal).then(() => (state.over = true));
  return state;
}

test('nobody waits for a screen that is not locked', async () => {
  const state = waiting();
  await vi.advanceTimersByTimeAsync(0);
  expect(state.over).toBe(true);
});

test('a locked screen is waited for until the system tells that it is not', async () => {
  system.emit('lock-screen');
  const state = waiting();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(state.over).toBe(false);
  system.emit('unlock-screen');
  await vi.advanceTimersByTimeAsync(0);
  expect(state.over).toBe(true);
});

test('a system without such events is asked for its state', async () => {
  system.getSystemIdleState = () => 'locked';
  const state = waiting();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(state.over).toBe(false);
  system.getSystemIdleState = () => 'idle';
  await vi.advanceTimersByTimeAsync(2_000);
  expect(state.over).toBe(true);
});

test('a sign-in that is over is no longer awaited', async () => {
  system.emit('lock-screen');
  const over = new AbortController();
  const state = waiting(over.signal);
  over.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(state.over).toBe(true);
});
