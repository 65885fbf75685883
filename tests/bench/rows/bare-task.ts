import type { Bare } from '../bare.ts';
import type { Contender } from '../measure.ts';
import { costOf } from './request-row.ts';

/** Returns the contender for which the baseline does a task as often as it is asked to, in one request. */
export function bareTask({ name, url, pid }: Bare, task: string): Contender {
  const run = async (amount: number) => {
    const response = await fetch(`${url}/${task}?amount=${amount}`);
    if (!response.ok) throw new Error(`${task}: ${await response.text()}`);
  };
  return { name, run: (amount) => costOf(pid, () => secondsOf(() => run(amount)), amount) };
}

/** Returns how many seconds some work takes. */
export async function secondsOf(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

/** What the baseline's routes for tasks have in common. */
export const taskRoute = { method: 'GET', status: 200, headers: {}, body: 'done' } as const;
