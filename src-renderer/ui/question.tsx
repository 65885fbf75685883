import { Button, Group, Modal } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { Form } from './form.tsx';
import { useReturnFocus } from './return-focus.ts';
import { SteadyButton } from './steady-button.tsx';
import { commonWords } from './words.ts';

interface Props {
  readonly title: ReactNode;
  readonly children: ReactNode;
  /** The label of the button that acts. */
  readonly action: ReactNode;
  /** The button's color. */
  readonly color: string;
  readonly busy?: boolean;
  /** True if a field in the question gets the focus instead of Cancel. */
  readonly hasField?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** A dialog that asks before an action. Enter in a field acts, as the button does. */
export function Question({
  title,
  children,
  action,
  color,
  onConfirm,
  onClose,
  ...more
}: Props): ReactElement {
  const { busy = false, hasField = false } = more;
  useReturnFocus();
  return (
    <Modal
      opened
      centered
      title={title}
      onClose={onClose}
      closeButtonProps={{ 'aria-label': commonWords.close }}
    >
      <Form onSubmit={onConfirm}>
        {children}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} {...(!hasField && { 'data-autofocus': true })}>
            {commonWords.cancel}
          </Button>
          <SteadyButton color={color} loading={busy} onClick={onConfirm}>
            {action}
          </SteadyButton>
        </Group>
      </Form>
    </Modal>
  );
}
