import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import { useAction, useClient } from '../../client/queries.ts';
import { Bar } from '../../ui/bar.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import { ErrorNote, WarningNote } from '../../ui/states.tsx';

type Folder = Result<'data.folder'>;

/** What the next start does: restart now, or cancel it. */
export function Waiting({
  waiting: { task, words },
}: {
  waiting: NonNullable<Folder['waiting']>;
}): ReactElement {
  const { home } = useClient();
  const restart = useAction('data.restart');
  const cancel = useAction('data.cancel');
  return (
    <WarningNote>
      <Text>
        <Foreign text={words} />
        {home === 'browser' && ' Stop Porchlight, then start it again.'}
      </Text>
      <Group mt="xs">
        {home === 'desktop' && (
          <Button color="amber.5" loading={restart.isPending} onClick={() => restart.mutate({})}>
            Restart Porchlight
          </Button>
        )}
        <Button
          variant="default"
          loading={cancel.isPending}
          onClick={() => cancel.mutate({ what: 'waiting' })}
        >
          {task === 'restore' ? 'Cancel restore' : 'Cancel move'}
        </Button>
      </Group>
      {restart.data && <Text role="status">{restart.data.words}</Text>}
      <ErrorNote error={cancel.error} />
    </WarningNote>
  );
}

/** How far the work with the data is, and the way to end it. */
export function Underway({ progress }: { progress: NonNullable<Folder['progress']> }): ReactElement {
  const cancel = useAction('data.cancel');
  const { state, done, total, words } = progress;
  return (
    <Stack gap="xs">
      {state === 'running' && <Bar done={done} total={total} label="Progress" />}
      <Text role="status">
        <Foreign text={words} />
      </Text>
      {state === 'running' && (
        <div>
          <Button
            variant="default"
            loading={cancel.isPending}
            onClick={() => cancel.mutate({ what: 'work' })}
          >
            Cancel
          </Button>
        </div>
      )}
    </Stack>
  );
}
