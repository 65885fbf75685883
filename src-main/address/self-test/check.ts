import type { Finding } from '../../contract/reach.ts';

/** What the owner reads: `{name}` in a text stands for the fact of that name. */
export interface Words {
  readonly detail: string;
  readonly fix?: string;
}

/** The values for the names in texts. */
export type Facts = Readonly<Record<string, unknown>>;

/** What a check says: its headings, and the words for each verdict. The verdict `pass` passes; others fail. */
export interface CheckWords<Verdict extends string> {
  readonly id: string;
  /** The heading of the finding if the check passes. */
  readonly title: string;
  /** The heading of the finding if the check doesn't pass. */
  readonly problem: string;
  readonly words: Readonly<Record<Verdict, Words & { readonly level?: 'warning'; readonly title?: string }>>;
}

/** Returns the finding of a check about `area` for a verdict. */
export function findingOf<Verdict extends string>(
  { id, title, problem, words }: CheckWords<Verdict>,
  area: Finding['area'],
  verdict: NoInfer<Verdict>,
  facts: Facts,
): Finding {
  const { level, title: ownTitle, ...said } = words[verdict];
  const [usual, heading] = verdict === 'pass' ? (['pass', title] as const) : (['fail', problem] as const);
  return {
    id,
    area,
    level: level ?? usual,
    title: filled(ownTitle ?? heading, facts),
    ...wordsWith(said, facts),
  };
}

/** Returns words with the facts in their places. */
export function wordsWith({ detail, fix }: Words, facts: Facts): Words {
  return { detail: filled(detail, facts), ...(fix !== undefined && { fix: filled(fix, facts) }) };
}

function filled(text: string, facts: Facts): string {
  return text.replace(/\{(\w+)\}/g, (_whole, name: string) => String(facts[name]));
}
