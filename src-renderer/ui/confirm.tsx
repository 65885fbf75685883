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
  readonly busy: boolean;
  readonly error: Error | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks the owner before an action that cannot be undone. */
export function Confirm({ title, children, action, busy, error, onConfirm, onClose }: Props): ReactElement {
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
          <SteadyButton color="red.8" loading={busy} onClick={onConfirm}>
            {action}
          </SteadyButton>
        </Group>
      </Stack>
    </Modal>
  );
}
