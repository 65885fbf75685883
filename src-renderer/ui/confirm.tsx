import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { useReturnFocus } from './return-focus.ts';
import { ErrorNote } from './states.tsx';
import { SteadyButton } from './steady-button.tsx';
import { commonWords } from './words.ts';

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
export function Confirm({ title, children, action, color = 'red.8', ...props }: Props): ReactElement {
  const { busy, error, onConfirm, onClose } = props;
  useReturnFocus();
  return (
    <Modal
      opened
      centered
      title={title}
      onClose={onClose}
      closeButtonProps={{ 'aria-label': commonWords.close }}
    >
      <Stack>
        <Text>{children}</Text>
        <ErrorNote error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {commonWords.cancel}
          </Button>
          <SteadyButton color={color} loading={busy} onClick={onConfirm}>
            {action}
          </SteadyButton>
        </Group>
      </Stack>
    </Modal>
  );
}
