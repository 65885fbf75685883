import { Button, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { ProcessCounts } from '../../../src-main/contract/webmentions.ts';
import { useAction } from '../../client/queries.ts';
import { ErrorNote } from '../../ui/states.tsx';

/** Works through what came in, at once: the service would do it in its own time. */
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
        Look for new ones now
      </Button>
    ),
    outcome: (
      <>
        <Text role="status" size="sm" c="dimmed">
          {look.data ? outcomeWords(look.data) : ''}
        </Text>
        <ErrorNote error={look.error} doing="Porchlight could not look for new ones." />
      </>
    ),
  };
}

/** What came of it: "3 looked at: 1 shown, 1 brought up to date, 1 did not hold. 2 wait for another try." */
export function outcomeWords({
  processed,
  approved,
  updated,
  removed,
  failed,
  waiting,
}: ProcessCounts): string {
  const left =
    waiting === 0 ? '' : ` ${number(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for another try.`;
  if (processed === 0) return `Nothing new has come in.${left}`;
  const parts = [
    [approved, 'shown now'],
    [updated, 'brought up to date'],
    [removed, 'taken away by their sources'],
    [failed, 'without a link to your pages'],
  ] as const;
  const told = parts.filter(([count]) => count > 0).map(([count, words]) => `${number(count)} ${words}`);
  return `${number(processed)} looked at${told.length === 0 ? '' : `: ${told.join(', ')}`}.${left}`;
}

const number = (count: number) => count.toLocaleString('en');
