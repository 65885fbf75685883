import { threadId } from 'node:worker_threads';
import { serveJobs } from '../../src-main/http/strangers/thread-jobs.ts';

/** The program of a reading thread that is given impossible work. */
const jobs = {
  where: (): number => threadId,
  forEver: (): never => {
    for (;;);
  },
  fillMemory: (): number => {
    const kept: unknown[] = [];
    for (;;) kept.push(Array.from({ length: 10_000 }, () => ({})));
  },
  throwUp: (): never => {
    throw new Error('No.');
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
