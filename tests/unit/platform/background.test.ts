import { expect, test } from 'vitest';
import { createLog, inBackground } from '../../../src-main/platform/log.ts';

test('a failure in the background is logged, and work that it starts is awaited as well', async () => {
  const lines: string[] = [];
  const background = inBackground(
    createLog({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
  );
  const steps: string[] = [];
  const second = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    steps.push('second');
    throw new Error('no room');
  };
  const first = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    steps.push('first');
    background(second());
  };
  background(first());
  await background.finished();
  expect(steps).toEqual(['first', 'second']);
  expect(lines.join('')).toContain('no room');
});
