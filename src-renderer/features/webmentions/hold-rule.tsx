import { Anchor } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { settingsHash } from '../../routes.ts';
import { holdWords, pageWords } from './words.ts';

/** Says what happens with new mentions, with the way to change it. */
export function HoldRule(): ReactElement | null {
  const hold = useAnswer('settings.get', {}).data?.webmention.hold;
  if (hold === undefined) return null;
  return (
    <>
      {holdWords[hold]}{' '}
      <Anchor href={settingsHash('webmentions', 'hold')} inherit underline="always" c="inherit">
        {pageWords.changeHold}
      </Anchor>
    </>
  );
}
