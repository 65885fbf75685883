import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { OwnerApi, OwnerEvent } from '../../../src-main/contract/contract.ts';
import type { Outcome } from '../../../src-main/contract/sign-ins.ts';
import type { DemoClient } from '../../../src-main/demo/client.ts';
import { keepSignInsWaiting } from '../../../src-main/demo/demo.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A demo with two apps. `waiting`: the ids of the sign-ins that wait. `log`: what the apps did. */
async function openDemo() {
  const waiting = new Set<string>();
  const log: string[] = [];
  let isOff = false;
  let hear: (event: OwnerEvent) => void = () => undefined;
  const owner: OwnerApi = {
    call: () => Promise.reject(new Error('The apps call nothing of the owner.')),
    subscribe: (listener) => {
      hear = listener;
      return () => undefined;
    },
  };
  let number = 0;
  const client = (name: string) =>
    ({
      request: () => {
        if (isOff) return Promise.reject(new Error('The server is off.'));
        const id = `${name}-${(number += 1)}`;
        waiting.add(id);
        log.push(`${name} asks`);
        return Promise.resolve(`http://127.0.0.1/auth/requests/${id}`);
      },
      finish: (page: string) => {
        log.push(`finished ${page.split('/').at(-1) ?? ''}`);
        return Promise.resolve();
      },
    }) as DemoClient;
  await keepSignInsWaiting(owner, [client('walk'), client('club')]);
  return {
    waiting,
    log,
    turn: (to: 'on' | 'off') => void (isOff = to === 'off'),
    settle: (id: string, outcome: Outcome) => {
      waiting.delete(id);
      hear({ name: 'signIn.settled', data: { id, outcome } });
    },
  };
}

test('in the demo, both apps ask at first, and an app that is approved finishes its sign-in', async () => {
  const { waiting, log, settle } = await openDemo();
  expect([...waiting]).toEqual(['walk-1', 'club-2']);
  settle('walk-1', 'approved');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(log).toEqual(['walk asks', 'club asks', 'finished walk-1']);
});

test.each(['approved', 'denied', 'expired'] as const)(
  'once the last one is %s, the next app of the demo asks',
  async (outcome) => {
    const { waiting, settle } = await openDemo();
    settle('walk-1', 'denied');
    settle('club-2', outcome);
    await vi.advanceTimersByTimeAsync(5000);
    expect([...waiting]).toEqual(['walk-3']);
    settle('walk-3', outcome);
    await vi.advanceTimersByTimeAsync(5000);
    expect([...waiting]).toEqual(['club-4']);
  },
);

test('while the server is off, the demo’s app tries again until it can ask', async () => {
  const { waiting, settle, turn } = await openDemo();
  turn('off');
  settle('walk-1', 'expired');
  settle('club-2', 'expired');
  await vi.advanceTimersByTimeAsync(60_000);
  expect([...waiting]).toEqual([]);
  turn('on');
  await vi.advanceTimersByTimeAsync(30_000);
  expect(waiting.size).toBe(1);
});
