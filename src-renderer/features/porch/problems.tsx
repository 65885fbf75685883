import { Anchor, Button, Group } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Problem, Status } from '../../../src-main/contract/status.ts';
import { useAction } from '../../client/queries.ts';
import { hashOf } from '../../routes.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { Section } from '../../ui/page.tsx';
import { Restart } from '../../ui/restart.tsx';
import { ErrorNote, WarningNote } from '../../ui/states.tsx';
import { SteadyButton } from '../../ui/steady-button.tsx';
import { porchWords as words } from './words.ts';

/** Shows what needs the owner's attention. A problem that reports a past event can be dismissed. */
export function Problems({ status }: { status: Status }): ReactElement | null {
  const problems = problemsHere(status);
  const dismiss = useAction('status.dismiss');
  const release = useAction('webmentions.releaseHeld');
  if (problems.length === 0) return null;
  return (
    <Section title={words.problems}>
      {problems.map(({ id, code, message }) => (
        <WarningNote key={id ?? `${code} ${message}`}>
          <Foreign text={message} />
          {code === 'storage_broken' && (
            <div>
              <Anchor href={hashOf('posts')} inherit underline="always" c="inherit">
                {words.openPosts}
              </Anchor>
            </div>
          )}
          {code === 'mentions_held' && (
            <div>
              <SteadyButton
                mt="xs"
                variant="default"
                size="compact-sm"
                loading={release.isPending}
                onClick={() => release.mutate({})}
              >
                {words.showMentions}
              </SteadyButton>
            </div>
          )}
          {code === 'restart_needed' && (
            <Group mt="xs">
              <Restart />
            </Group>
          )}
          {id !== undefined && (
            <div>
              <Button
                mt="xs"
                variant="default"
                size="compact-sm"
                aria-label={words.dismissOf(message)}
                loading={dismiss.isPending && dismiss.variables.id === id}
                onClick={() => dismiss.mutate({ id })}
              >
                {words.dismiss}
              </Button>
            </div>
          )}
        </WarningNote>
      ))}
      <ErrorNote error={dismiss.error} doing={words.dismissFailed} />
      <ErrorNote error={release.error} doing={words.showMentionsFailed} />
    </Section>
  );
}

/** The trouble with the owner's folder and with the mailbox have lines of their own, with links. */
const problemsHere = ({ problems }: Status): Problem[] =>
  problems.filter(({ code }) => code !== 'site_folder' && code !== 'mailbox');
