import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createOutlet } from '../../../src-main/platform/log-file.ts';

/** A stream that takes nothing until it is told to. */
function stuckStream() {
  const written: string[] = [];
  let go: (() => void) | undefined;
  let isStuck = true;
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const take = () => {
        written.push(chunk.toString());
        done();
      };
      if (isStuck) go = take;
      else take();
    },
  });
  return {
    stream,
    written,
    release: () => {
      isStuck = false;
      go?.();
    },
  };
}

const line = (count: number) => `${String(count).padEnd(999, '.')}\n`;

test('a reader that stopped costs a bounded amount of memory, and lines that are counted', async () => {
  const { stream, written, release } = stuckStream();
  const outlet = createOutlet(stream, (text) => text);
  for (let count = 0; count < 5000; count += 1) outlet.write(line(count));
  expect(stream.writableLength).toBeLessThan(300_000);

  release();
  await expect.poll(() => written.at(-1)).toContain('lines of the log are missing here');
  const kept = written.length - 1;
  expect(JSON.parse(written.at(-1) ?? '')).toMatchObject({
    level: 40,
    msg: expect.stringContaining(`${5000 - kept} lines`) as string,
  });

  outlet.write('after\n');
  expect(written.at(-1)).toBe('after\n');
});

test('a stream that failed for good gets nothing more', () => {
  const { stream, written } = stuckStream();
  const outlet = createOutlet(stream, (text) => text);
  stream.emit('error', new Error('EPIPE'));
  outlet.write('lost\n');
  expect(written).toEqual([]);
  expect(stream.writableLength).toBe(0);
});

test('a file that throws gets the count of what it missed with the next line that it takes', () => {
  const written: string[] = [];
  let isFull = true;
  const file = {
    writableLength: 0,
    on: () => undefined,
    write(text: string) {
      if (isFull) throw new Error('ENOSPC');
      written.push(text);
    },
  };
  const outlet = createOutlet(file, (text) => text);
  outlet.write('lost\n');
  isFull = false;
  outlet.write('kept\n');
  expect(written).toEqual([expect.stringContaining('1 line of the log is missing'), 'kept\n']);
});
