import { useLayoutEffect, useRef, useState, type ReactElement } from 'react';
import look from '../../ui/look.module.css';
import { EndedLine } from './ended-line.tsx';
import type { Ending } from './outcome.ts';
import type { Place } from './places.ts';
import { SignInCard } from './sign-in-card.tsx';
import styles from './sign-ins.module.css';

interface Props {
  readonly place: Place;
  /** True where the owner came for this one. */
  readonly asked: boolean;
  /** True where another one waits below it. */
  readonly followed: boolean;
  readonly onEnd: (ending: Ending) => void;
}

/**
 * A sign-in's card, then the line about how it ended. The line is as tall as the card was while another one waits
 * below: that one must not move under the owner's pointer.
 */
export function SignInPlace({ place: { signIn, ending }, asked, followed, onEnd }: Props): ReactElement {
  const card = useRef({ height: 0, hadFocus: false });
  const [kept, setKept] = useState(0);
  const hasEnded = ending !== null;
  useLayoutEffect(() => {
    if (hasEnded) setKept(card.current.height);
  }, [hasEnded]);
  if (!followed && kept !== 0) setKept(0);

  if (ending === null) {
    return (
      <SignInCard
        signIn={signIn}
        asked={asked}
        onEnd={onEnd}
        onLeave={(last) => {
          card.current = last;
        }}
      />
    );
  }
  return (
    <div className={`${look.card} ${styles.place}`} style={{ minHeight: kept }}>
      <EndedLine
        name={signIn.clientName}
        host={signIn.clientHost}
        logo={signIn.clientLogo}
        matchCode={signIn.matchCode}
        ending={ending}
        takesFocus={() => card.current.hadFocus}
      />
    </div>
  );
}
