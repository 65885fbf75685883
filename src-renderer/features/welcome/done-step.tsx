import { Button, Group, Stack, Switch, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { SelfTest as Result } from '../../../src-main/contract/reach.ts';
import { useAction, useAnswer, useClient } from '../../client/queries.ts';
import { hashOf } from '../../routes.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { IconExternalLink } from '../../ui/icons.ts';
import shared from '../../ui/shared.module.css';
import { ErrorNote } from '../../ui/states.tsx';
import { SelfTest } from '../setup/self-test.tsx';
import { StepFrame, type StepProps } from './step-frame.tsx';
import { doneWords as words, testWords } from './words.ts';

interface Props extends StepProps {
  /** Every check has passed. */
  readonly finished: boolean;
  readonly onChecked: (result: Result) => void;
}

/** The last step: checks everything, and then offers a first sign-in. */
export function DoneStep({ finished, onChecked, ...ways }: Props): ReactElement {
  const { home } = useClient();
  return (
    <StepFrame
      title={finished ? words.finishedTitle : words.title}
      about={finished ? words.finishedAbout : words.about}
      next={words.next}
      ready
      {...ways}
    >
      {finished && <TestSignIn />}
      <SelfTest atOnce foldWarnings onChecked={onChecked} />
      {home === 'desktop' && <StartAtLogin />}
    </StepFrame>
  );
}

/** In milliseconds: a test sign-in expires after ten minutes, so the link is renewed before that. */
const renewedMs = 9 * 60_000;

/** Offers a test sign-in in the owner's browser, and leads to its approval. */
function TestSignIn(): ReactElement {
  const client = useClient();
  const test = useQuery({
    queryKey: ['setup.testSignIn', {}],
    queryFn: () => client.call('setup.testSignIn', {}),
    staleTime: renewedMs,
    gcTime: 0,
    refetchInterval: renewedMs,
    refetchIntervalInBackground: true,
    refetchOnWindowFocus: false,
  });
  const [waiting] = useAnswer('signIns.list', {}).data ?? [];
  return (
    <section className={shared.card} aria-label={testWords.title}>
      <Stack gap="sm">
        <Title order={2}>{testWords.title}</Title>
        <Text>{testWords.about}</Text>
        <ErrorNote error={test.error} doing={testWords.failed} />
        {test.data && (
          <Group>
            {/* Each link is for one sign-in: the next click gets a new one. */}
            <Button
              component="a"
              href={test.data.url}
              target="_blank"
              rel="noopener noreferrer"
              variant="default"
              rightSection={<IconExternalLink size={16} aria-hidden="true" />}
              onClick={() => void test.refetch()}
            >
              {testWords.start}
            </Button>
          </Group>
        )}
        <div role="status">
          {waiting && (
            <Group gap="sm">
              <Text fw={600}>
                <Foreign text={testWords.waiting(waiting.clientName || waiting.clientHost)} />
              </Text>
              <Button component="a" href={hashOf('sign-ins', waiting.id)} variant="default">
                {testWords.review}
              </Button>
            </Group>
          )}
        </div>
        <Text>{testWords.next}</Text>
      </Stack>
    </section>
  );
}

/** Whether Porchlight starts when the owner logs in. Takes effect at once. */
function StartAtLogin(): ReactElement {
  const on = useAnswer('settings.get', {}).data?.desktop.startAtLogin ?? false;
  const save = useAction('settings.update');
  return (
    <>
      <Switch
        label={words.startAtLogin}
        description={words.startAtLoginAbout}
        checked={on}
        disabled={save.isPending}
        onChange={(event) => save.mutate({ desktop: { startAtLogin: event.currentTarget.checked } })}
      />
      <ErrorNote error={save.error} doing={words.notSaved} />
    </>
  );
}
