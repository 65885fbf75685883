import { Group, Text } from '@mantine/core';
import { useLayoutEffect, useRef, type ReactElement } from 'react';
import { useAction, useAnswer } from '../../client/queries.ts';
import { SteadyButton } from '../../ui/steady-button.tsx';
import { bringIntoView } from '../../ui/stillness.ts';
import { AppMark } from '../../ui/app-mark.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import shared from '../../ui/shared.module.css';
import { isAnswered, type Ending } from './outcome.ts';
import { codeWords, endingTitle, endingWords, historyWords, phoneWords } from './words.ts';

interface Props {
  readonly id: string;
  readonly name: string;
  /** What is shown where the name shows nothing. */
  readonly host: string;
  readonly logo?: string | null;
  readonly matchCode?: string;
  readonly ending: Ending;
  /** The name of the phone with which the owner answered; undefined if it was this computer. */
  readonly by: string | undefined;
  /** Returns whether this line takes the keyboard focus. */
  readonly takesFocus: () => boolean;
}

/** What became of a sign-in, in the place of its card. */
export function EndedLine(props: Props): ReactElement {
  const { id, name, host, logo = null, matchCode, ending, by, takesFocus } = props;
  const line = useRef<HTMLDivElement>(null);
  const arrival = useRef({ takesFocus, ending });
  useLayoutEffect(() => {
    if (!line.current || !arrival.current.takesFocus()) return;
    line.current.focus({ preventScroll: true });
    // Only an answer of the owner scrolls: whoever asked could otherwise move other buttons under the pointer.
    if (isAnswered(arrival.current.ending)) bringIntoView(line.current, 'nearest');
  }, []);
  const title = endingTitle(ending, by);
  return (
    <div ref={line} tabIndex={-1} role="status" className={`${shared.row} ${shared.outcome}`}>
      <AppMark name={name} address={host} logo={logo} />
      <div className={shared.rowBody}>
        <Text fw={600} lineClamp={2}>
          {by === undefined ? title : <Foreign text={title} />}: <Foreign text={name} fallback={host} />
          {ending === 'approved' && by === undefined && `. ${endingWords.approved}`}
        </Text>
        {ending === 'approved' && by !== undefined && (
          <Undo id={id} name={name} onUndone={() => line.current?.focus({ preventScroll: true })} />
        )}
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

interface UndoProps {
  readonly id: string;
  readonly name: string;
  /** Called before the button goes. */
  readonly onUndone: () => void;
}

/** Undo of an approval that was given on a phone, as long as the approval gives the app anything. */
function Undo({ id, name, onUndone }: UndoProps): ReactElement {
  // The history contains the sign-in a moment after its end.
  const past = useAnswer('signIns.history', { limit: 50 }).data?.find((each) => each.id === id);
  const undo = useAction('signIns.undo');
  return (
    <>
      <Group gap="sm">
        <Text size="sm" c="dimmed">
          {past && past.canUndo !== true ? phoneWords.ended : phoneWords.undo}
        </Text>
        {past?.canUndo === true && (
          <SteadyButton
            size="xs"
            variant="default"
            aria-label={historyWords.undoOf(name)}
            loading={undo.isPending}
            onClick={() => undo.mutate({ id }, { onSuccess: onUndone })}
          >
            {historyWords.undo}
          </SteadyButton>
        )}
      </Group>
      <ErrorNote error={undo.error} doing={phoneWords.failed} />
    </>
  );
}
