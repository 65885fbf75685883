import { Checkbox, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { SetupDraftState } from './use-setup-draft.ts';
import { addressWords as words, mailboxLines } from './words.ts';

/** Chooses whether there is a mailbox, and whether the token is kept. */
export function ChoiceFields({ draft, change }: SetupDraftState): ReactElement {
  return (
    <>
      <Checkbox
        label={words.mailbox}
        description={<MailboxLines />}
        checked={draft.mailbox}
        onChange={(event) => change({ mailbox: event.currentTarget.checked })}
      />
      <Checkbox
        label={words.keepToken}
        description={words.aboutKeeping}
        checked={draft.keepToken}
        onChange={(event) => change({ keepToken: event.currentTarget.checked })}
      />
    </>
  );
}

/** Says what the mailbox keeps and what it never stores, a line each. */
function MailboxLines(): ReactElement {
  return (
    <>
      {mailboxLines.map((line) => (
        <Text key={line} component="span" inherit display="block">
          {line}
        </Text>
      ))}
    </>
  );
}
