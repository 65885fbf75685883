import autocannon from 'autocannon';

export interface Load {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Record<string, string>;
}

const seconds = 4;
const rounds = 3;
const connections = 20;

/** Requests a second of each load, taken in turn, several rounds, so that what else the machine does hits all alike. */
export async function throughputs<N extends string>(loads: Record<N, Load>): Promise<Record<N, number>> {
  const names = Object.keys(loads) as N[];
  const measured = new Map<N, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const result = await autocannon({ ...loads[name], connections, duration: seconds });
      if (result.non2xx > 0 || result.errors > 0)
        throw new Error(`${name}: ${result.non2xx} refused, ${result.errors} errors`);
      measured.get(name)?.push(result.requests.average);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(measured.get(name) ?? [])])) as Record<
    N,
    number
  >;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
