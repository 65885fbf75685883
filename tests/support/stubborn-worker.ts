import { threadId } from 'node:worker_threads';
import { ProgramBroken, serveJobs } from '../../src-main/untrusted/serve-jobs.ts';

/** The program of a reading thread that is given impossible work. */
const jobs = {
  where: (): number => threadId,
  forEver: (): never => {
    for (;;);
  },
  /** Takes that many ms and no processor time, as if other programs had all of it. */
  starve: (ms: number): number => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    return ms;
  },
  fillMemory: (): number => {
    const kept: unknown[] = [];
    for (;;) kept.push(Array.from({ length: 10_000 }, () => ({})));
  },
  throwUp: (): never => {
    throw new Error('No.');
  },
  breakDown: (): never => {
    throw new ProgramBroken('The decoder failed.');
  },
  nestDeeply: (): unknown => {
    let value: unknown = [];
    for (let level = 0; level < 100_000; level += 1) value = [value];
    return value;
  },
  environment: (): string[] => Object.keys(process.env),
};
export type StubbornJobs = typeof jobs;

serveJobs(jobs);
