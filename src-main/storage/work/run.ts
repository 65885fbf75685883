/** Creates a run: one attempt for each entry that is added to it. The run is over once all have been tried. */
export function createRun<O>() {
  const left = new Set<string>();
  const outcomes = new Map<string, O | undefined>();
  let isOver = false;
  let resolveOver: () => void = () => undefined;
  const whenOver = new Promise<void>((resolve) => (resolveOver = resolve));

  function end(): void {
    isOver = true;
    resolveOver();
  }

  return {
    outcomes,
    request(keys: readonly string[]): void {
      for (const key of keys) if (!outcomes.has(key)) left.add(key);
      if (left.size === 0) end();
    },
    tried(key: string, outcome: O | undefined): void {
      if (!left.delete(key)) return;
      outcomes.set(key, outcome);
      if (left.size === 0) end();
    },
    get isOver() {
      return isOver;
    },
    end,
    /** Resolves once all entries have been tried, or after `limitMs`. */
    async over(limitMs?: number): Promise<void> {
      if (limitMs === undefined) return whenOver;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)));
      await Promise.race([whenOver, late]);
      clearTimeout(timer);
    },
  };
}
