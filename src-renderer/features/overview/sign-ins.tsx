import { Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { hashOf } from '../../routes.ts';
import { useKeptHeight } from '../../ui/kept-height.ts';
import { Loaded } from '../../ui/states.tsx';
import { isAnswered } from '../sign-ins/outcome.ts';
import { type Place, usePlaces } from '../sign-ins/places.ts';
import { SignInPlace } from '../sign-ins/sign-in-place.tsx';
import { NoteLink } from './problems.tsx';
import { needWords as words } from './words.ts';

/** The first sign-in that waits, with all that the owner needs to answer it. The others wait on their own screen. */
export function WaitingSignIns(): ReactElement | null {
  const pending = useAnswer('signIns.list', {});
  // What was kept from an earlier visit may be over: it must not get a place first and a line after.
  const isOld = pending.isFetching && !pending.isFetchedAfterMount;
  const { places, withheld, settle } = usePlaces(isOld ? undefined : pending.data, null);
  const waiting = places.filter(({ ending }) => ending === null);
  const isKept = waiting.length > 0;
  const ref = useKeptHeight(isKept, true);
  const shown = shownPlaces(places);
  const more = Math.max(waiting.length - 1, 0) + withheld;
  if (shown.length === 0 && !pending.isError) return null;
  return (
    <section aria-label={words.signIns}>
      <Loaded query={pending} what={words.signInList}>
        {() => (
          <Stack ref={ref} gap="xs">
            {shown.map((place) => (
              <SignInPlace
                key={place.signIn.id}
                place={place}
                asked={false}
                isKept={isKept}
                onEnd={(ending) => settle(place.signIn.id, ending)}
              />
            ))}
            {/* What comes and goes is below the cards, because it would move them. */}
            {more > 0 && (
              <Text size="sm" role="status">
                {words.moreSignIns(more)} <NoteLink hash={hashOf('sign-ins')}>{words.showSignIns}</NoteLink>
              </Text>
            )}
          </Stack>
        )}
      </Loaded>
    </section>
  );
}

/**
 * Returns the places up to the first sign-in that waits, so that no card moves while it waits. If none waits, only those
 * that the owner answered.
 */
function shownPlaces(places: readonly Place[]): readonly Place[] {
  const first = places.findIndex(({ ending }) => ending === null);
  return first === -1
    ? places.filter(({ ending }) => ending !== null && isAnswered(ending))
    : places.slice(0, first + 1);
}
