import { useRef, type ReactElement } from 'react';
import { useKeptHeight } from '../../ui/kept-height.ts';
import shared from '../../ui/shared.module.css';
import { EndedLine } from './ended-line.tsx';
import type { Ending } from './outcome.ts';
import type { Place } from './places.ts';
import { SignInCard } from './sign-in-card.tsx';
import styles from './sign-ins.module.css';

interface Props {
  readonly place: Place;
  /** True where the owner came for this one. */
  readonly asked: boolean;
  /** True while any sign-in waits. */
  readonly isKept: boolean;
  readonly onEnd: (ending: Ending) => void;
}

/**
 * A sign-in's card, then the line about how it ended. The place never gets smaller while a sign-in waits: no card may
 * move under the owner's pointer.
 */
export function SignInPlace({ place: { signIn, ending, by }, asked, isKept, onEnd }: Props): ReactElement {
  const ref = useKeptHeight(isKept, ending === null);
  const hadFocus = useRef(false);
  return (
    <div ref={ref} className={styles.place}>
      {ending === null ? (
        <SignInCard
          signIn={signIn}
          asked={asked}
          onEnd={onEnd}
          onLeave={(focused) => {
            hadFocus.current = focused;
          }}
        />
      ) : (
        <div className={styles.ended}>
          <div className={`${shared.quiet} ${ending === 'approved' ? styles.glow : ''}`}>
            <EndedLine
              id={signIn.id}
              name={signIn.clientName}
              host={signIn.clientHost}
              logo={signIn.clientLogo}
              matchCode={signIn.matchCode}
              ending={ending}
              by={by}
              takesFocus={() => hadFocus.current}
            />
          </div>
        </div>
      )}
    </div>
  );
}
