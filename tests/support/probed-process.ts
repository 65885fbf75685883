import { once } from 'node:events';
import path from 'node:path';
import { oneAtATime } from '../../src-main/storage/pacing.ts';
import type { ProbedInside, ProbeQuestion } from '../bench/soak/probe.ts';
import { startHeadless, type HeadlessProcess } from './headless-process.ts';

/** The built headless program with a probe in it, which tells what only the process itself knows. */
export interface ProbedProcess extends HeadlessProcess {
  readonly pid: number;
  /** Asks the probe. Questions wait for one another. @throws Error where the program has ended. */
  inside(question: ProbeQuestion): Promise<ProbedInside>;
}

const probe = path.join(import.meta.dirname, '../bench/soak/probe.ts');

/** Starts the built headless program with the probe. Options are those of startHeadless. */
export async function startProbed(
  options: Omit<Parameters<typeof startHeadless>[0] & object, 'probe'> = {},
): Promise<ProbedProcess> {
  const house = await startHeadless({ ...options, probe });
  const inTurn = oneAtATime();
  return {
    ...house,
    pid: house.child.pid ?? 0,
    inside: (question) =>
      inTurn(async () => {
        if (!house.child.connected) throw new Error('The program has ended.');
        const aborted = new AbortController();
        const ended = once(house.child, 'exit', { signal: aborted.signal }).then(() => {
          throw new Error('The program has ended.');
        });
        const answer = once(house.child, 'message', { signal: aborted.signal }) as Promise<[ProbedInside]>;
        ended.catch(() => undefined); // nobody waits for it where the answer comes first
        answer.catch(() => undefined);
        house.child.send(question);
        try {
          return (await Promise.race([answer, ended]))[0];
        } finally {
          aborted.abort();
        }
      }),
  };
}
