import { Text } from '@mantine/core';
import { useLayoutEffect, useRef, type ReactElement } from 'react';
import { bringIntoView } from '../../ui/stillness.ts';
import { AppMark } from '../../ui/app-mark.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { isAnswered, type Ending } from './outcome.ts';
import { codeWords, endingTitles, endingWords } from './words.ts';

interface Props {
  readonly name: string;
  /** What is shown where the name shows nothing. */
  readonly host: string;
  readonly logo?: string | null;
  readonly matchCode?: string;
  readonly ending: Ending;
  /** Returns whether this line takes the keyboard focus. */
  readonly takesFocus: () => boolean;
}

/** What became of a sign-in, in the place of its card. */
export function EndedLine({ name, host, logo = null, matchCode, ending, takesFocus }: Props): ReactElement {
  const line = useRef<HTMLDivElement>(null);
  const arrival = useRef({ takesFocus, ending });
  useLayoutEffect(() => {
    if (!line.current || !arrival.current.takesFocus()) return;
    line.current.focus({ preventScroll: true });
    // Only an answer of the owner scrolls: whoever asked could otherwise move other buttons under the pointer.
    if (isAnswered(arrival.current.ending)) bringIntoView(line.current, 'nearest');
  }, []);
  return (
    <div ref={line} tabIndex={-1} role="status" className={`${shared.row} ${shared.outcome}`}>
      <AppMark name={name} address={host} logo={logo} />
      <div className={shared.rowBody}>
        <Text fw={600} lineClamp={2}>
          {endingTitles[ending]}: <Foreign text={name} fallback={host} />
          {ending === 'approved' && `. ${endingWords.approved}`}
        </Text>
        {ending !== 'approved' && (
          <Text size="sm" c="dimmed">
            {endingWords[ending]}
          </Text>
        )}
      </div>
      {matchCode !== undefined && (
        <Text c="dimmed" className={shared.smallCode}>
          {codeWords.code(matchCode)}
        </Text>
      )}
    </div>
  );
}
