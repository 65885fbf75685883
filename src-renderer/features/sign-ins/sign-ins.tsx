import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { useRoute } from '../../routes.ts';
import look from '../../ui/look.module.css';
import { Page } from '../../ui/page.tsx';
import { hostIn } from '../../ui/plain-text.ts';
import { Empty, Loaded } from '../../ui/states.tsx';
import { EndedLine } from './ended-line.tsx';
import { SignInHistory } from './history.tsx';
import { usePlaces } from './places.ts';
import { SignInPlace } from './sign-in-place.tsx';
import { signInWords } from './words.ts';

/** The sign-ins that wait or ended while the owner looked, and those before. */
export function SignIns(): ReactElement {
  const { id } = useRoute();
  const pending = useAnswer('signIns.list', {});
  // What was kept from an earlier visit may be over: it must not get a place first and a line after.
  const isOld = pending.isFetching && !pending.isFetchedAfterMount;
  const waiting = isOld ? undefined : pending.data;
  const { places, settle } = usePlaces(waiting);
  const lastWaiting = places.findLastIndex(({ ending }) => ending === null);

  return (
    <Page title={signInWords.title} about={signInWords.about}>
      {id !== null && waiting && !places.some(({ signIn }) => signIn.id === id) && (
        <Former key={id} id={id} />
      )}
      <Loaded query={pending} what={signInWords.list}>
        {() => (
          <>
            {places.map((place, index) => (
              <SignInPlace
                key={place.signIn.id}
                place={place}
                asked={place.signIn.id === id}
                followed={index < lastWaiting}
                onEnd={(ending) => settle(place.signIn.id, ending)}
              />
            ))}
            {waiting && places.length === 0 && <Empty>{signInWords.empty}</Empty>}
          </>
        )}
      </Loaded>
      <SignInHistory />
    </Page>
  );
}

/** How a sign-in ended that the owner came for after its end. */
function Former({ id }: { id: string }): ReactElement | null {
  const history = useAnswer('signIns.history', { limit: 50 });
  if (history.isPending) return null;
  const past = history.data?.find((each) => each.id === id);
  if (!past) return <Empty>{signInWords.gone}</Empty>;
  return (
    <div className={look.card}>
      <EndedLine
        name={past.clientName}
        host={hostIn(past.clientId)}
        ending={past.outcome}
        takesFocus={() => true}
      />
    </div>
  );
}
