import { useEffect, useState } from 'react';
import type { SignIn } from '../../../src-main/contract/sign-ins.ts';
import { useClient } from '../../client/queries.ts';
import { endingOf, isAnswered, type Ending } from './outcome.ts';

/** A sign-in at its place on the screen. */
export interface Place {
  /** As it was when it came: a card never changes under the owner's eyes. */
  readonly signIn: SignIn;
  /** Null while it waits. */
  readonly ending: Ending | null;
  /** The name of the phone with which the owner answered; absent if it was this computer. */
  readonly by?: string | undefined;
}

/**
 * The most places of sign-ins that the owner has not answered: of the five that can wait at once, and of lines about
 * others. Whoever asks again and again must not fill the screen.
 */
const mostUnanswered = 10;

/**
 * Returns the places once the list of waiting sign-ins is `waiting`. Nothing changes or loses its place: new ones come
 * at the end, and those that no longer wait stay where they are. Where there is no room, new ones get no place yet.
 */
export function withWaiting(places: readonly Place[], waiting: readonly SignIn[]): Place[] {
  const ids = new Set(waiting.map(({ id }) => id));
  const known = new Set(places.map(({ signIn }) => signIn.id));
  const kept = places.map((place): Place => {
    const waits = ids.has(place.signIn.id);
    if (place.ending === null && !waits) return { ...place, ending: 'gone' };
    return place.ending === 'gone' && waits ? { ...place, ending: null } : place;
  });
  const room = mostUnanswered - kept.filter(isUnanswered).length;
  const added = waiting.filter(({ id }) => !known.has(id)).slice(0, Math.max(room, 0));
  return [...kept, ...added.map((signIn) => ({ signIn, ending: null }))];
}

/** Returns the waiting sign-ins that have no place yet. */
function withoutPlace(places: readonly Place[], waiting: readonly SignIn[]): SignIn[] {
  const shown = new Set(places.map(({ signIn }) => signIn.id));
  return waiting.filter(({ id }) => !shown.has(id));
}

/** Returns the places after one sign-in ended. The owner's own answer is final: a later ending does not replace it. */
export function withEnding(places: readonly Place[], id: string, ending: Ending, by?: string): Place[] {
  return places.map((place) =>
    place.signIn.id === id && (place.ending === null || place.ending === 'gone')
      ? { ...place, ending, by }
      : place,
  );
}

function isUnanswered({ ending }: Place): boolean {
  return ending === null || !isAnswered(ending);
}

/**
 * Keeps the places while the screen is open. `waiting`: undefined until it is known. `requested`: the id of the sign-in
 * that the owner came for, or null.
 */
export function usePlaces(
  waiting: readonly SignIn[] | undefined,
  requested: string | null,
): {
  places: readonly Place[];
  /** How many sign-ins wait without a place. */
  withheld: number;
  /** Changes when all places are given again. */
  round: number;
  /** Notes how a sign-in ended. */
  settle: (id: string, ending: Ending) => void;
  /** Drops the lines about sign-ins that ended, and gives each one that waits a place. Only the owner asks for this. */
  startAgain: () => void;
} {
  const client = useClient();
  const [places, setPlaces] = useState<readonly Place[]>(() => withWaiting([], waiting ?? []));
  const [round, setRound] = useState(0);
  const [seen, setSeen] = useState(waiting);
  const withheld = withoutPlace(places, waiting ?? []);
  const startAgain = () => {
    setPlaces((waiting ?? []).map((signIn) => ({ signIn, ending: null })));
    setRound(round + 1);
  };
  if (waiting !== undefined && waiting !== seen) {
    setSeen(waiting);
    setPlaces(withWaiting(places, waiting));
  } else if (withheld.some(({ id }) => id === requested)) startAgain();

  useEffect(
    () =>
      client.subscribe(({ name, data }) => {
        if (name !== 'signIn.settled') return;
        setPlaces((before) => withEnding(before, data.id, endingOf(data), data.by));
      }),
    [client],
  );
  const settle = (id: string, ending: Ending) => setPlaces((before) => withEnding(before, id, ending));
  return { places, withheld: withheld.length, round, settle, startAgain };
}
