import { Button, Text } from '@mantine/core';
import { IconRefresh } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { useAction } from '../../client/queries.ts';
import shared from '../../ui/shared.module.css';
import { ErrorNote } from '../../ui/states.tsx';
import { checkWords, outcomeWords } from './words.ts';

/** Reads waiting mentions at once, which the service otherwise does in its own time. */
export function useCheckNow(): { button: ReactElement; outcome: ReactElement } {
  const check = useAction('webmentions.process');
  return {
    button: (
      <Button
        variant="default"
        leftSection={<IconRefresh size={14} aria-hidden="true" />}
        loading={check.isPending}
        onClick={() => check.mutate({})}
      >
        {checkWords.button}
      </Button>
    ),
    outcome: (
      <>
        <Text role="status" size="sm" c="dimmed" className={shared.outcome}>
          {check.data ? outcomeWords(check.data) : ''}
        </Text>
        <ErrorNote error={check.error} doing={checkWords.failed} />
      </>
    ),
  };
}
