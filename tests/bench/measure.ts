/** What the operations of one round cost. */
export interface Round {
  /** Processor time of the server's process, in ms. */
  readonly cpuMs: number;
  readonly seconds: number;
  readonly operations: number;
}

/** One server, and the work that a row has it do. */
export interface Contender {
  readonly name: Name;
  /** Does the work so many times in one round. */
  run(amount: number): Promise<Round>;
}

/** The baseline, the program before and now, both with little data and with much. */
export const names = ['bare', 'before', 'now', 'beforeMuch', 'nowMuch'] as const;
export type Name = (typeof names)[number];
export type Values = Partial<Record<Name, number>>;

/** What one operation costs: processor time in ms, and how many there are per second. */
export interface Costs {
  readonly cpuMs: Values;
  readonly perSecond: Values;
}

export interface MeasureOptions {
  /** How long one round takes, roughly. */
  readonly seconds: number;
  readonly rounds: number;
  /** The most operations in a round. */
  readonly most?: number | undefined;
  /** Exactly so many operations in a round, whatever time they take. */
  readonly amount?: number | undefined;
}

/**
 * Measures what an operation costs each contender. Each gets as many operations as it can do in a round. The rounds are
 * interleaved, so that what else the machine does affects all of them alike, and the medians count.
 */
export async function measure(
  contenders: readonly Contender[],
  { seconds, rounds, most = Infinity, amount: fixed }: MeasureOptions,
): Promise<Costs> {
  const amounts = new Map<Contender, number>();
  for (const contender of contenders) {
    if (fixed !== undefined) await contender.run(fixed);
    amounts.set(contender, fixed ?? (await amountOf(contender, seconds, most)));
  }
  const cpuMs = new Map<Name, number[]>(contenders.map(({ name }) => [name, []]));
  const perSecond = new Map<Name, number[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of contenders) {
      const amount = amounts.get(contender) ?? 1;
      const { operations, ...cost } = await contender.run(amount);
      cpuMs.get(contender.name)?.push(cost.cpuMs / operations);
      perSecond.get(contender.name)?.push(operations / cost.seconds);
    }
  }
  return { cpuMs: medians(cpuMs), perSecond: medians(perSecond) };
}

/** Finds out how many operations take about `seconds`. This also warms the program up. */
async function amountOf(contender: Contender, seconds: number, most: number): Promise<number> {
  // The first operation also loads code and starts threads, so it says nothing.
  await contender.run(1);
  for (let amount = 1; ; amount = Math.min(amount * 8, most)) {
    const { seconds: took } = await contender.run(amount);
    if (took >= seconds / 3 || amount >= most)
      return Math.max(1, Math.min(most, Math.round((amount * seconds) / took)));
  }
}

/** Returns the median of each contender's values. */
export function medians(values: ReadonlyMap<Name, readonly number[]>): Values {
  return Object.fromEntries(Array.from(values, ([name, list]) => [name, median(list)]));
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
