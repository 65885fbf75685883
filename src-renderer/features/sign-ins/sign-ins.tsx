import { Button, Stack, Text } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { useRoute, welcomeHash } from '../../routes.ts';
import { useKeptHeight } from '../../ui/kept-height.ts';
import shared from '../../ui/shared.module.css';
import { Page, pageTitleId } from '../../ui/page.tsx';
import { hostIn } from '../../ui/plain-text.ts';
import { Empty, Loaded } from '../../ui/states.tsx';
import { EndedLine } from './ended-line.tsx';
import { SignInHistory } from './history.tsx';
import { usePlaces } from './places.ts';
import { SignInPlace } from './sign-in-place.tsx';
import styles from './sign-ins.module.css';
import { signInWords } from './words.ts';

/** The sign-ins that wait or ended while the owner looked, and those before. */
export function SignIns(): ReactElement {
  const { id } = useRoute();
  const pending = useAnswer('signIns.list', {});
  // What was kept from an earlier visit may be over: it must not get a place first and a line after.
  const isOld = pending.isFetching && !pending.isFetchedAfterMount;
  const waiting = isOld ? undefined : pending.data;
  const { places, withheld, round, settle, startAgain } = usePlaces(waiting, id);
  const isKept = places.some(({ ending }) => ending === null);

  return (
    <Page title={signInWords.title} about={signInWords.about}>
      <Loaded query={pending} what={signInWords.list}>
        {() => (
          // New elements after a new start, so that every button is new to the owner.
          <List key={round} isKept={isKept}>
            {places.map((place) => (
              <SignInPlace
                key={place.signIn.id}
                place={place}
                asked={place.signIn.id === id}
                isKept={isKept}
                onEnd={(ending) => settle(place.signIn.id, ending)}
              />
            ))}
            {/* What comes and goes is below the cards, because it would move them. */}
            {withheld > 0 && (
              <Withheld
                count={withheld}
                onShow={() => {
                  startAgain();
                  window.scrollTo(0, 0);
                  document.getElementById(pageTitleId)?.focus();
                }}
              />
            )}
            {id !== null && waiting && !places.some(({ signIn }) => signIn.id === id) && (
              <Former key={id} id={id} />
            )}
            {waiting && places.length === 0 && (
              <Empty
                drawing="door"
                step={
                  <Button component="a" href={welcomeHash('done')} variant="default">
                    {signInWords.test}
                  </Button>
                }
              >
                {signInWords.empty}
              </Empty>
            )}
          </List>
        )}
      </Loaded>
      <SignInHistory />
    </Page>
  );
}

/** Lays out the sign-ins one below the other. Never gets shorter while `isKept`. */
function List({ isKept, children }: { isKept: boolean; children: ReactNode }): ReactElement {
  const ref = useKeptHeight(isKept, true);
  return (
    <Stack ref={ref} gap="xl">
      {children}
    </Stack>
  );
}

/** Says that `count` sign-ins wait that are not shown. */
function Withheld({ count, onShow }: { count: number; onShow: () => void }): ReactElement {
  return (
    <div className={`${shared.card} ${styles.withheld}`}>
      <Text role="status" className={shared.rowBody}>
        {signInWords.withheld(count)}
      </Text>
      <Button variant="default" onClick={onShow}>
        {signInWords.showWithheld}
      </Button>
    </div>
  );
}

/** How a sign-in ended that the owner came for after its end. */
function Former({ id }: { id: string }): ReactElement | null {
  const history = useAnswer('signIns.history', { limit: 50 });
  if (history.isPending) return null;
  const past = history.data?.find((each) => each.id === id);
  if (!past) return <Empty>{signInWords.gone}</Empty>;
  return (
    <div className={shared.card}>
      <EndedLine
        id={id}
        name={past.clientName}
        host={hostIn(past.clientId)}
        ending={past.outcome}
        by={past.by === 'computer' ? undefined : past.by}
        takesFocus={() => true}
      />
    </div>
  );
}
