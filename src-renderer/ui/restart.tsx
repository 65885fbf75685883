import { Button, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAction, useClient } from '../client/queries.ts';
import { restartWords as words } from './words.ts';

/** Restarts the desktop app. A page in a browser says how, because Porchlight can't start itself there. */
export function Restart(): ReactElement {
  const { home } = useClient();
  const restart = useAction('data.restart');
  if (home === 'browser') return <Text>{words.inBrowser}</Text>;
  return (
    <>
      <Button color="amber.5" loading={restart.isPending} onClick={() => restart.mutate({})}>
        {words.restart}
      </Button>
      {restart.data && <Text role="status">{restart.data.words}</Text>}
    </>
  );
}
