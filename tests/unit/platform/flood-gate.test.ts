import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createFloodGate } from '../../../src-main/platform/flood-gate.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function gateWithLines() {
  const lines: string[] = [];
  const failed = vi.fn();
  const time = { now: 0 };
  const gate = createFloodGate({
    clock: () => time.now,
    record: (kind, words) => Promise.resolve(void lines.push(`${kind}: ${words}`)),
    failed,
    singly: 2,
    windowMs: 1000,
  });
  const pass = (group: string, name: string) =>
    gate.pass({ group, kind: group, words: name, more: (count) => `${count} more` });
  return { gate, lines, pass, failed, time };
}

describe('a flood of one kind', () => {
  test('is reported one by one at first, then as a number when its time is over', () => {
    const { lines, pass } = gateWithLines();
    for (const name of ['a', 'b', 'c', 'd', 'e']) void pass('mentions', name);
    expect(lines).toEqual(['mentions: a', 'mentions: b']);
    vi.advanceTimersByTime(1000);
    expect(lines).toEqual(['mentions: a', 'mentions: b', 'mentions: 3 more']);
    void pass('mentions', 'f');
    expect(lines.at(-1)).toBe('mentions: f');
  });

  test('ends with its time on the clock, although timers stop while the computer sleeps', () => {
    const { lines, pass, time } = gateWithLines();
    for (const name of ['a', 'b', 'c']) void pass('mentions', name);
    time.now = 999;
    void pass('mentions', 'd');
    expect(lines).toEqual(['mentions: a', 'mentions: b']);
    time.now = 1000;
    void pass('mentions', 'e');
    expect(lines).toEqual(['mentions: a', 'mentions: b', 'mentions: 2 more', 'mentions: e']);
  });

  test('a flood of one kind hides no entries of another kind', () => {
    const { lines, pass } = gateWithLines();
    for (let turn = 0; turn < 100; turn += 1) void pass('mentions', 'x');
    void pass('posts', 'y');
    expect(lines.at(-1)).toBe('posts: y');
  });

  test('an event that is recorded by itself is passed once its entry is on disk', async () => {
    let write: () => void = () => undefined;
    const record = () => new Promise<void>((resolve) => void (write = resolve));
    const gate = createFloodGate({ record, failed: vi.fn() });
    const passed = vi.fn();
    const done = gate.pass({ group: 'a', kind: 'a', words: 'a', more: String }).then(passed);
    await Promise.resolve();
    expect(passed).not.toHaveBeenCalled();
    write();
    await done;
    expect(passed).toHaveBeenCalled();
  });

  test('is counted to the end before the server stops, and a failed write is logged', async () => {
    const { gate, lines, pass } = gateWithLines();
    for (const name of ['a', 'b', 'c']) void pass('mentions', name);
    await gate.close();
    expect(lines.at(-1)).toBe('mentions: 1 more');

    const failed = vi.fn();
    const broken = createFloodGate({ record: () => Promise.reject(new Error('no')), failed });
    void broken.pass({ group: 'a', kind: 'a', words: 'a', more: String });
    await broken.close();
    expect(failed).toHaveBeenCalledTimes(1);
  });
});
