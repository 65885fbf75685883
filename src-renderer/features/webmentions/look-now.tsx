import { Button, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useAction } from '../../client/queries.ts';
import { ErrorNote } from '../../ui/states.tsx';
import { lookWords, outcomeWords } from './words.ts';

/** Reads waiting mentions at once, which the service otherwise does in its own time. */
export function useLookNow(): { button: ReactElement; outcome: ReactElement } {
  const look = useAction('webmentions.process');
  return {
    button: (
      <Button
        variant="default"
        size="xs"
        leftSection={<IconRefresh size={14} aria-hidden="true" />}
        loading={look.isPending}
        onClick={() => look.mutate({})}
      >
        {lookWords.button}
      </Button>
    ),
    outcome: (
      <>
        <Text role="status" size="sm" c="dimmed">
          {look.data ? outcomeWords(look.data) : ''}
        </Text>
        <ErrorNote error={look.error} doing={lookWords.failed} />
      </>
    ),
  };
}
