import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withEnding, withWaiting, type Place } from '../../../src-renderer/features/sign-ins/places.ts';
import type { SignIn } from '../../../src-main/contract/sign-ins.ts';
import { waitingSignIn } from '../../support/window-fixtures.ts';

const signIns = (...ids: string[]) => ids.map((id) => waitingSignIn(Date.now(), { id }));
const shown = (places: readonly Place[]) =>
  places.map(({ signIn, ending }) => (ending === null ? signIn.id : `${signIn.id} ${ending}`));

test('new sign-ins come at the end, whatever the order of the list', () => {
  const places = withWaiting(withWaiting([], signIns('b')), signIns('a', 'b', 'c'));
  expect(shown(places)).toEqual(['b', 'a', 'c']);
});

test('one that ends keeps its place, and says how it ended', () => {
  const places = withEnding(withWaiting([], signIns('a', 'b')), 'a', 'replaced');
  expect(shown(withWaiting(places, signIns('b', 'a2')))).toEqual(['a replaced', 'b', 'a2']);
});

test('one that is missing in the list is gone, until it is known how it ended', () => {
  const places = withWaiting(withWaiting([], signIns('a', 'b')), signIns('b'));
  expect(shown(places)).toEqual(['a gone', 'b']);
  expect(shown(withEnding(places, 'a', 'expired'))).toEqual(['a expired', 'b']);
});

test('a sign-in that was missing waits again if a newer list has it', () => {
  const gone = withWaiting(withWaiting([], signIns('a')), []);
  expect(shown(withWaiting(gone, signIns('a')))).toEqual(['a']);
});

test('an answered sign-in no longer waits, whatever an older list says', () => {
  const places = withEnding(withWaiting([], signIns('a')), 'a', 'approved');
  expect(shown(withWaiting(places, signIns('a')))).toEqual(['a approved']);
  expect(shown(withEnding(places, 'a', 'gone'))).toEqual(['a approved']);
});

test('whoever asks again and again moves nothing: at the limit, new ones get no place', () => {
  let places = withWaiting([], signIns('own', 'm0'));
  for (let turn = 1; turn <= 20; turn += 1) {
    places = withEnding(places, `m${turn - 1}`, 'replaced');
    places = withWaiting(places, signIns('own', `m${turn}`));
  }
  expect(shown(places)).toEqual(['own', ...Array.from({ length: 9 }, (_, turn) => `m${turn} replaced`)]);
});

test('an answer makes room, and what the owner answered takes none', () => {
  let places = withWaiting([], signIns('own'));
  for (let turn = 0; turn < 9; turn += 1)
    places = withEnding(withWaiting(places, signIns('own', `m${turn}`)), `m${turn}`, 'replaced');
  places = withWaiting(places, signIns('own', 'next'));
  expect(shown(places)).not.toContain('next');
  places = withWaiting(withEnding(places, 'own', 'denied'), signIns('next'));
  expect(shown(places).at(-1)).toBe('next');
});

const endings = ['approved', 'denied', 'expired', 'replaced', 'madeRoom', 'cancelled', 'gone'] as const;
const step = fc.oneof(
  fc.record({ kind: fc.constant('ask' as const) }),
  fc.record({ kind: fc.constant('end' as const), which: fc.nat(30), ending: fc.constantFrom(...endings) }),
  // A list can arrive after one that was made later.
  fc.record({ kind: fc.constant('list' as const), age: fc.nat(3) }),
);

test('after any events, nothing above a card disappears, and there are at most ten lines and cards', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
      const lists: SignIn[][] = [[]];
      let places: Place[] = [];
      for (const [turn, one] of steps.entries()) {
        const waiting = lists.at(-1)!;
        const before = places;
        if (one.kind === 'ask' && waiting.length < 5) lists.push([...waiting, ...signIns(`s${turn}`)]);
        if (one.kind === 'list') places = withWaiting(places, lists.at(-1 - one.age) ?? waiting);
        const ended = places[one.kind === 'end' ? one.which % places.length : -1];
        if (one.kind === 'end' && ended) {
          lists.push(waiting.filter(({ id }) => id !== ended.signIn.id));
          places = withEnding(places, ended.signIn.id, one.ending);
        }
        expect(places.slice(0, before.length).map(({ signIn }) => signIn.id)).toEqual(
          before.map(({ signIn }) => signIn.id),
        );
        const unanswered = places.filter(({ ending }) => ending !== 'approved' && ending !== 'denied');
        expect(unanswered.length).toBeLessThanOrEqual(10);
      }
    }),
  );
});
