import { Anchor } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { settingsHash } from '../../routes.ts';
import { ForeignSentence } from '../../ui/foreign.tsx';
import { Phrase } from '../../ui/phrase.tsx';
import { WarningNote } from '../../ui/states.tsx';
import { mailboxWords as words } from './words.ts';

/** Says what is wrong with the mailbox, and leads to the place where the owner decides. */
export function MailboxTrouble(): ReactElement | null {
  const status = useAnswer('mailbox.status', {}).data;
  if (status?.state !== 'trouble') return null;
  return (
    <WarningNote>
      <Phrase text={words.trouble} parts={{ words: <ForeignSentence text={status.words} /> }} />{' '}
      <Anchor href={settingsHash('mailbox')} inherit underline="always" c="inherit">
        {words.link}
      </Anchor>
    </WarningNote>
  );
}
