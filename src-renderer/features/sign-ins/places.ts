import { useEffect, useState } from 'react';
import type { SignIn } from '../../../src-main/contract/sign-ins.ts';
import { useClient } from '../../client/queries.ts';
import { endingOf, type Ending } from './outcome.ts';

/** A sign-in at its place on the screen. */
export interface Place {
  /** As it was when it came: a card never changes under the owner's eyes. */
  readonly signIn: SignIn;
  /** Null while it waits. */
  readonly ending: Ending | null;
}

/** Lines about sign-ins that nobody answered: whoever asks again and again must not fill the screen with them. */
const mostUnanswered = 5;

/**
 * The places once the list of waiting sign-ins is `waiting`. Nothing changes its place: new ones come at the end, and
 * those that no longer wait stay where they are.
 */
export function withWaiting(places: readonly Place[], waiting: readonly SignIn[]): Place[] {
  const ids = new Set(waiting.map(({ id }) => id));
  const known = new Set(places.map(({ signIn }) => signIn.id));
  const kept = places.map((place): Place => {
    const waits = ids.has(place.signIn.id);
    if (place.ending === null && !waits) return { ...place, ending: 'gone' };
    return place.ending === 'gone' && waits ? { ...place, ending: null } : place;
  });
  const added = waiting.filter(({ id }) => !known.has(id)).map((signIn) => ({ signIn, ending: null }));
  return withoutFlood([...kept, ...added]);
}

/** Returns the places after one sign-in ended. The owner's own answer is final: a later ending does not replace it. */
export function withEnding(places: readonly Place[], id: string, ending: Ending): Place[] {
  return withoutFlood(
    places.map((place) =>
      place.signIn.id === id && (place.ending === null || place.ending === 'gone')
        ? { ...place, ending }
        : place,
    ),
  );
}

/** Leaves out late ones first, but not the newest: only what came after them moves. */
function withoutFlood(places: Place[]): Place[] {
  const unanswered = places.filter(
    ({ ending }) => ending !== null && ending !== 'approved' && ending !== 'denied',
  );
  if (unanswered.length <= mostUnanswered) return places;
  const surplus = new Set(unanswered.slice(mostUnanswered - 1, -1));
  return places.filter((place) => !surplus.has(place));
}

/** The places while the screen is open. `settle` notes how one ended. `waiting`: undefined until it is known. */
export function usePlaces(waiting: readonly SignIn[] | undefined): {
  places: readonly Place[];
  settle: (id: string, ending: Ending) => void;
} {
  const client = useClient();
  const [places, setPlaces] = useState<readonly Place[]>(() => withWaiting([], waiting ?? []));
  const [seen, setSeen] = useState(waiting);
  if (waiting !== undefined && waiting !== seen) {
    setSeen(waiting);
    setPlaces(withWaiting(places, waiting));
  }
  const settle = (id: string, ending: Ending) => setPlaces((before) => withEnding(before, id, ending));
  useEffect(
    () =>
      client.subscribe(({ name, data }) => {
        if (name !== 'signIn.settled') return;
        setPlaces((before) => withEnding(before, data.id, endingOf(data)));
      }),
    [client],
  );
  return { places, settle };
}
