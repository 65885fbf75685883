import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Arrived } from './arrived.tsx';
import { FolderTrouble } from './folder-trouble.tsx';
import { Light } from './light.tsx';
import { MailboxTrouble } from './mailbox-trouble.tsx';
import { NextStep } from './next-step.tsx';
import { Problems } from './problems.tsx';
import { RecentActivity } from './recent-activity.tsx';
import { Restored } from './restored.tsx';
import { Waiting } from './waiting.tsx';
import { porchWords } from './words.ts';

/** The home screen: first what needs the owner, then how the server is, then what happened. */
export function Porch(): ReactElement {
  const status = useAnswer('status.get', {});
  return (
    <Page title={porchWords.title} titleHidden>
      <Waiting />
      <Arrived />
      <Restored />
      <Loaded query={status} what={porchWords.status}>
        {(now) => (
          <>
            <Problems status={now} />
            <FolderTrouble />
            <MailboxTrouble />
            <NextStep status={now} />
            <Light status={now} />
            {now.me !== null && now.waiting === 0 && (
              <Text size="sm" c="dimmed">
                {porchWords.hint}
              </Text>
            )}
          </>
        )}
      </Loaded>
      <RecentActivity />
    </Page>
  );
}
