import { Text } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { Question } from './question.tsx';
import { ErrorNote } from './states.tsx';

interface Props {
  readonly title: ReactNode;
  readonly children: ReactNode;
  /** The label of the button that does it. */
  readonly action: ReactNode;
  /** The button's color, if the action deletes nothing. */
  readonly color?: string;
  readonly busy: boolean;
  readonly error: Error | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks the owner before an action that cannot be undone. */
export function Confirm({ children, color = 'red.8', error, ...question }: Props): ReactElement {
  return (
    <Question color={color} {...question}>
      <Text>{children}</Text>
      <ErrorNote error={error} />
    </Question>
  );
}
