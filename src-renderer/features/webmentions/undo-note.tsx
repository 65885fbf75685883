import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { closeWords } from './dialog-words.ts';
import { moderationWords } from './words.ts';

/** Milliseconds: long enough to read the note and to reach its button by keyboard. */
const undoTime = 20_000;
const readTime = 8000;

/** Shows what was done, with a button that undoes it where that is possible. */
export function showNote(message: ReactNode, onUndo?: () => void): void {
  const id = notifications.show({
    autoClose: onUndo ? undoTime : readTime,
    closeButtonProps: { 'aria-label': closeWords },
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" lineClamp={3}>
          {message}
        </Text>
        {onUndo && (
          <Button
            size="xs"
            variant="default"
            flex="none"
            onClick={() => {
              notifications.hide(id);
              onUndo();
            }}
          >
            {moderationWords.undo}
          </Button>
        )}
      </Group>
    ),
  });
}
