import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconExternalLink } from '../../ui/icons.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useAnswer, useClient } from '../../client/queries.ts';
import { hashOf } from '../../routes.ts';
import { Foreign } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { ErrorNote } from '../../ui/states.tsx';
import { testWords as words } from './words.ts';

/** In milliseconds: a test sign-in expires after ten minutes, so the link is renewed before that. */
const renewedMs = 9 * 60_000;

/** Offers a test sign-in in the owner's browser, and leads to its approval. */
export function TestSignIn(): ReactElement {
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
    <section className={shared.card} aria-label={words.title}>
      <Stack gap="sm">
        <Title order={2}>{words.title}</Title>
        <Text>{words.about}</Text>
        <ErrorNote error={test.error} doing={words.failed} />
        {test.data && (
          <Group>
            {/* Each link is for one sign-in: the next click gets a new one. */}
            <Button
              component="a"
              href={test.data.url}
              target="_blank"
              rel="noopener noreferrer"
              {...(waiting ? { variant: 'default' } : { color: 'amber.5' })}
              rightSection={<IconExternalLink size={16} aria-hidden="true" />}
              onClick={() => void test.refetch()}
            >
              {words.start}
            </Button>
          </Group>
        )}
        <div role="status">
          {waiting && (
            <Group gap="sm">
              <Text fw={600}>
                <Foreign text={words.waiting(waiting.clientName || waiting.clientHost)} />
              </Text>
              <Button component="a" href={hashOf('sign-ins', waiting.id)} size="sm" color="amber.5">
                {words.review}
              </Button>
            </Group>
          )}
        </div>
        <Text>{words.next}</Text>
      </Stack>
    </section>
  );
}
