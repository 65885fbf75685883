import { expect, test } from 'vitest';
import { demoProgress } from '../../../src-main/demo/demo.ts';

/** What is written while 200 events happen. */
function writtenTo(isTTY: boolean): string[] {
  const written: string[] = [];
  const progress = demoProgress({ isTTY, write: (text) => written.push(text) });
  for (let done = 0; done <= 200; done += 1) progress(done, 200);
  return written;
}

test('a terminal shows the progress of the demo on one line, and clears it at the end', () => {
  const written = writtenTo(true);
  expect(written).toHaveLength(101);
  expect(written[42]).toBe('\r\u001b[KPreparing the demo, a made-up year: 42 %');
  expect(written.at(-1)).toBe('\r\u001b[K');
});

test('a file or a pipe gets a few lines', () => {
  expect(writtenTo(false)).toEqual(
    [0, 20, 40, 60, 80, 100].map((part) => `Preparing the demo, a made-up year: ${part} %\n`),
  );
});
