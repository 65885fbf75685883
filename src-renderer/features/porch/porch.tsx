import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Status } from '../../../src-main/contract/status.ts';
import { useAnswer } from '../../client/queries.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Loaded, WarningNote } from '../../ui/states.tsx';
import { Arrived } from './arrived.tsx';
import { FolderTrouble } from './folder-trouble.tsx';
import { Light } from './light.tsx';
import { MailboxTrouble } from './mailbox-trouble.tsx';
import { NextStep } from './next-step.tsx';
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
            {problemsHere(now).length > 0 && (
              <Section title={porchWords.problems}>
                {problemsHere(now).map(({ code, message }) => (
                  <WarningNote key={`${code} ${message}`}>
                    <Foreign text={message} />
                  </WarningNote>
                ))}
              </Section>
            )}
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

/** The trouble with the owner's folder and with the mailbox have lines of their own, with links. */
const problemsHere = ({ problems }: Status) =>
  problems.filter(({ code }) => code !== 'site_folder' && code !== 'mailbox');
