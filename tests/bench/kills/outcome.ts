/** What was found. Each fault is a line of text. */
export interface Outcome {
  readonly rounds: number;
  readonly lost: string[];
  readonly resurrected: string[];
  readonly wrongLists: string[];
  /** Errors of the server under load, and problems that `--check` found. */
  readonly trouble: string[];
  /** How many checkpoints of the database began under the loads, and how many of them the end of the server cut off. */
  readonly checkpoints: { begun: number; cutOff: number };
  /** How many changes were acknowledged, by kind. */
  readonly acknowledged: ReadonlyMap<string, number>;
}

/** Returns the result of several runs together. */
export function sumOf(outcomes: readonly Outcome[]): Outcome {
  const acknowledged = new Map<string, number>();
  for (const [kind, count] of outcomes.flatMap((one) => [...one.acknowledged]))
    acknowledged.set(kind, (acknowledged.get(kind) ?? 0) + count);
  return {
    rounds: outcomes.reduce((sum, { rounds }) => sum + rounds, 0),
    lost: outcomes.flatMap(({ lost }) => lost),
    resurrected: outcomes.flatMap(({ resurrected }) => resurrected),
    wrongLists: outcomes.flatMap(({ wrongLists }) => wrongLists),
    trouble: outcomes.flatMap(({ trouble }) => trouble),
    checkpoints: {
      begun: outcomes.reduce((sum, { checkpoints }) => sum + checkpoints.begun, 0),
      cutOff: outcomes.reduce((sum, { checkpoints }) => sum + checkpoints.cutOff, 0),
    },
    acknowledged,
  };
}

/** Returns the result in one line. `noun`: what the server was ended by. */
export function summaryOf({ rounds, ...found }: Outcome, noun: 'kill' | 'power loss'): string {
  const nouns = noun === 'kill' ? 'kills' : 'power losses';
  return `${rounds} ${rounds === 1 ? noun : nouns}: ${countsOf(found)}`;
}

/** Returns the counts of a result, as far as it goes. */
export function countsOf(found: Omit<Outcome, 'rounds' | 'checkpoints'>): string {
  const { lost, resurrected, wrongLists: wrong, trouble } = found;
  const others = trouble.length === 0 ? '' : `, ${trouble.length} other problems`;
  return `${lost.length} lost, ${resurrected.length} resurrected, ${wrong.length} lists wrong${others}`;
}
