type Methods = Record<string, (...args: unknown[]) => unknown>;

const iteratorOf = (values: Iterable<unknown>) => Object.getPrototypeOf(values[Symbol.iterator]()) as Methods;

const counted: readonly (readonly [on: Methods, names: readonly string[]])[] = [
  [Map.prototype as unknown as Methods, ['get', 'set', 'has', 'delete']],
  [Set.prototype as unknown as Methods, ['add', 'has', 'delete']],
  [iteratorOf(new Map()), ['next']],
  [iteratorOf(new Set()), ['next']],
  [Date as unknown as Methods, ['parse']],
];

/**
 * Counts the calls on maps and sets, the steps over them, and the dates that are parsed while `work` runs. A test that
 * compares such counts doesn't depend on how busy the machine is.
 */
export async function operationsOf(work: () => unknown): Promise<number> {
  let count = 0;
  const restored = counted.flatMap(([on, names]) =>
    names.map((name) => {
      const original = on[name]!;
      on[name] = function (this: unknown, ...args: unknown[]) {
        count += 1;
        return Reflect.apply(original, this, args);
      };
      return () => (on[name] = original);
    }),
  );
  try {
    await work();
  } finally {
    for (const restore of restored) restore();
  }
  return count;
}
