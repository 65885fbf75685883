import autocannon from 'autocannon';

export interface Load {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** 20 where absent. */
  readonly connections?: number;
}

/** Anything that can be measured: answers how often it was done in a second. */
export type Measure = () => Promise<number>;

const seconds = 4;
const rounds = 3;
const usualConnections = 20;

/** Requests a second of each load, taken in turn, several rounds, so that what else the machine does hits all alike. */
export function throughputs<N extends string>(loads: Record<N, Load>): Promise<Record<N, number>> {
  const entries = Object.entries<Load>(loads).map(([name, load]) => [name, () => requests(name, load)]);
  return inTurn(Object.fromEntries(entries) as Record<N, Measure>);
}

/** The median of each measure, taken in turn, several rounds. */
export async function inTurn<N extends string>(measures: Record<N, Measure>): Promise<Record<N, number>> {
  const names = Object.keys(measures) as N[];
  const measured = new Map<N, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) measured.get(name)?.push(await measures[name]());
  }
  return Object.fromEntries(names.map((name) => [name, median(measured.get(name) ?? [])])) as Record<
    N,
    number
  >;
}

/** Requests a second that a load gets answered. */
export async function requests(
  name: string,
  { connections = usualConnections, ...load }: Load,
): Promise<number> {
  const result = await autocannon({ ...load, connections, duration: seconds });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${name}: ${result.non2xx} refused, ${result.errors} errors`);
  return result.requests.average;
}

/** How often a second `work` is done by so many at once. */
export async function rateOf(lanes: number, work: (turn: number) => Promise<void>): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let done = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() < end) await work(done++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return done / seconds;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
