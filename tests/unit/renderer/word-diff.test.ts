import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutLongPassages, wordDiff } from '../../../src-renderer/features/posts/word-diff.ts';

/** Shows a difference as text: [-removed-] and {+added+}. */
const shown = (before: string, after: string) =>
  wordDiff(before, after)
    .map(({ kind, text }) => (kind === 'same' ? text : kind === 'removed' ? `[-${text}-]` : `{+${text}+}`))
    .join('');

test.each([
  ['The lamp was on.', 'The lamp is on.', 'The lamp [-was-]{+is+} on.'],
  ['a b c d', 'a x y d', 'a [-b c-]{+x y+} d'],
  ['', 'Hello', '{+Hello+}'],
  ['Hello', '', '[-Hello-]'],
  ['Same', 'Same', 'Same'],
  ['灯がついた。', '灯が消えた。', '灯が[-つい-]{+消え+}た。'],
])('from “%s” to “%s”, whole words change', (before, after, difference) => {
  expect(shown(before, after)).toBe(difference);
});

test('without the additions, a difference is the text before; without the removals, the text after', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', ' ', ', ', '\n'), { maxLength: 40 })
    .map((all) => all.join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const parts = wordDiff(before, after);
      const without = (kind: string) =>
        parts.filter((part) => part.kind !== kind).map((part) => part.text).join(''); // prettier-ignore
      expect(without('added')).toBe(before);
      expect(without('removed')).toBe(after);
    }),
  );
});

test('texts that differ everywhere are compared quickly, as a whole', () => {
  const words = (factor: number) =>
    Array.from({ length: 15_000 }, (_, at) => `w${(at * factor) % 991}`).join(' ');
  const started = performance.now();
  const parts = wordDiff(words(1), words(7));
  expect(performance.now() - started).toBeLessThan(5000);
  expect(parts.filter(({ kind }) => kind !== 'same').map(({ kind }) => kind)).toEqual(['removed', 'added']);
});

test('a long passage without changes is cut to the words beside the changes', () => {
  const long = 'and so on '.repeat(100);
  const parts = withoutLongPassages(wordDiff(`One ${long}end`, `Two ${long}end`));
  expect(parts.map(({ kind }) => kind)).toEqual(['removed', 'added', 'same']);
  expect(parts[2]!.text.length).toBeLessThan(100);
  expect(parts[2]!.text).toMatch(/…$/);
});
