import { describe, expect, test } from 'vitest';
import { coalesced } from '../../../src-main/storage/pacing.ts';

describe('coalesced work', () => {
  test('calls of one tick share one run, which sees the changes of the last', async () => {
    let value = 0;
    const seen: number[] = [];
    const run = coalesced(async () => {
      seen.push(value);
      await Promise.resolve();
    });
    const calls = [1, 2, 3].map((next) => {
      value = next;
      return run();
    });
    await Promise.all(calls);
    expect(seen).toEqual([3]);
  });

  test('calls that come during a run share the next one, and wait for it', async () => {
    const gates: (() => void)[] = [];
    const run = coalesced(() => new Promise<void>((resolve) => gates.push(resolve)));
    const done: string[] = [];
    const first = run().then(() => done.push('first'));
    await Promise.resolve();
    const second = run().then(() => done.push('second'));
    const third = run().then(() => done.push('third'));
    expect(gates).toHaveLength(1);
    gates[0]!();
    await first;
    await new Promise(setImmediate);
    expect(gates).toHaveLength(2);
    expect(done).toEqual(['first']);
    gates[1]!();
    await Promise.all([second, third]);
    expect(gates).toHaveLength(2);
  });

  test('a failed run rejects those who shared it and nobody after', async () => {
    const outcomes = [() => Promise.reject(new Error('no')), () => Promise.resolve()];
    const run = coalesced(() => outcomes.shift()!());
    const first = run();
    const shared = run();
    await expect(first).rejects.toThrow('no');
    await expect(shared).rejects.toThrow('no');
    await expect(run()).resolves.toBeUndefined();
  });
});
