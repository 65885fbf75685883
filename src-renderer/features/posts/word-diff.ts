/** A piece of a text that changed, with what happened to it. */
export interface DiffPart {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** The most words that may differ. Two texts that differ more are shown as a whole, because a list of words would not help. */
const mostDifferences = 600;

/** Returns how to get from one text to another, word by word. */
export function wordDiff(before: string, after: string): DiffPart[] {
  const [old, now] = [wordsIn(before), wordsIn(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (
    end < old.length - start &&
    end < now.length - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  )
    end += 1;
  const changed = shortestWay(old.slice(start, old.length - end), now.slice(start, now.length - end));
  return joined([
    { kind: 'same', text: old.slice(0, start).join('') },
    ...changed,
    { kind: 'same', text: old.slice(old.length - end).join('') },
  ]);
}

/** Splits a text into words, spaces and punctuation, in any script. */
function wordsIn(text: string): string[] {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

/** Returns the shortest list of removals and additions (Myers, “An O(ND) Difference Algorithm”). */
function shortestWay(old: readonly string[], now: readonly string[]): DiffPart[] {
  const most = Math.min(old.length + now.length, mostDifferences);
  /** For each diagonal (x - y), how far into `old` the furthest way leads. `ways`: the same after each step. */
  let furthest = new Map<number, number>([[1, 0]]);
  const ways: Map<number, number>[] = [];
  for (let step = 0; step <= most; step += 1) {
    ways.push(furthest);
    const next = new Map(furthest);
    for (let diagonal = -step; diagonal <= step; diagonal += 2) {
      let x = goesDown(furthest, diagonal, step)
        ? (furthest.get(diagonal + 1) ?? 0)
        : (furthest.get(diagonal - 1) ?? 0) + 1;
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x += 1;
      next.set(diagonal, x);
      if (x >= old.length && x - diagonal >= now.length) return wayBack(old, now, ways);
    }
    furthest = next;
  }
  return [
    { kind: 'removed', text: old.join('') },
    { kind: 'added', text: now.join('') },
  ];
}

/** Returns whether the way to a diagonal comes from an addition. */
function goesDown(furthest: ReadonlyMap<number, number>, diagonal: number, step: number): boolean {
  const [left, right] = [furthest.get(diagonal - 1) ?? -1, furthest.get(diagonal + 1) ?? -1];
  return diagonal === -step || (diagonal !== step && left < right);
}

/** Follows the way from the end of both texts to their beginning. */
function wayBack(
  old: readonly string[],
  now: readonly string[],
  ways: readonly ReadonlyMap<number, number>[],
): DiffPart[] {
  const parts: DiffPart[] = [];
  let [x, y] = [old.length, now.length];
  for (let step = ways.length - 1; step >= 0; step -= 1) {
    const furthest = ways[step] ?? new Map<number, number>();
    const diagonal = x - y;
    const isAddition = goesDown(furthest, diagonal, step);
    const fromDiagonal = isAddition ? diagonal + 1 : diagonal - 1;
    const fromX = furthest.get(fromDiagonal) ?? 0;
    const fromY = fromX - fromDiagonal;
    for (; x > fromX && y > fromY; x -= 1, y -= 1) parts.push({ kind: 'same', text: old[x - 1] ?? '' });
    if (step === 0) break;
    parts.push(
      isAddition ? { kind: 'added', text: now[fromY] ?? '' } : { kind: 'removed', text: old[fromX] ?? '' },
    );
    [x, y] = [fromX, fromY];
  }
  return parts.reverse();
}

/**
 * Joins what belongs together: neighbours of one kind, and changes that only a space separates. Of each change, what was
 * removed comes first.
 */
function joined(parts: readonly DiffPart[]): DiffPart[] {
  const result: DiffPart[] = [];
  let [removed, added] = ['', ''];
  const flush = () => {
    if (removed !== '') result.push({ kind: 'removed', text: removed });
    if (added !== '') result.push({ kind: 'added', text: added });
    [removed, added] = ['', ''];
  };
  parts.forEach(({ kind, text }, index) => {
    if (kind === 'removed') removed += text;
    else if (kind === 'added') added += text;
    else if (text !== '') {
      const isBetween = removed + added !== '' && parts[index + 1] !== undefined;
      if (isBetween && /^[^\S\n]+$/.test(text) && parts[index + 1]?.kind !== 'same') {
        removed += text;
        added += text;
        return;
      }
      flush();
      const last = result.at(-1);
      if (last?.kind === 'same') result[result.length - 1] = { kind: 'same', text: last.text + text };
      else result.push({ kind: 'same', text });
    }
  });
  flush();
  return result;
}

/** How much of a long passage without changes is shown beside each change, in characters. */
const shownBeside = 80;

/** Returns the parts with long passages without changes cut to their ends. */
export function withoutLongPassages(parts: readonly DiffPart[]): DiffPart[] {
  return parts.map(({ kind, text }, index) => {
    if (kind !== 'same' || text.length <= 3 * shownBeside) return { kind, text };
    const start = index === 0 ? '' : text.slice(0, shownBeside).replace(/\s*\S*$/, ' ');
    const end = index === parts.length - 1 ? '' : text.slice(-shownBeside).replace(/^\S*\s*/, ' ');
    return { kind, text: `${start}…${end}` };
  });
}
