import { expect, test } from 'vitest';
import { withEnding, withWaiting, type Place } from '../../../src-renderer/features/sign-ins/places.ts';
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

test('one that is gone waits again where a newer list has it', () => {
  const gone = withWaiting(withWaiting([], signIns('a')), []);
  expect(shown(withWaiting(gone, signIns('a')))).toEqual(['a']);
});

test('one that was answered waits no more, whatever an older list says', () => {
  const places = withEnding(withWaiting([], signIns('a')), 'a', 'approved');
  expect(shown(withWaiting(places, signIns('a')))).toEqual(['a approved']);
  expect(shown(withEnding(places, 'a', 'gone'))).toEqual(['a approved']);
});

test('whoever asks again and again leaves five lines, and moves nothing that came before the fifth', () => {
  let places = withWaiting([], signIns('own', 'm0'));
  for (let turn = 1; turn <= 20; turn += 1) {
    places = withEnding(places, `m${turn - 1}`, 'replaced');
    places = withWaiting(places, signIns('own', `m${turn}`));
  }
  expect(shown(places)).toEqual([
    'own',
    'm0 replaced',
    'm1 replaced',
    'm2 replaced',
    'm3 replaced',
    'm19 replaced',
    'm20',
  ]);
});
