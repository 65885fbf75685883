import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { SelfTest } from '../../../src-main/contract/reach.ts';
import { useAnswer, useClient } from '../../client/queries.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Address } from '../../ui/foreign.tsx';
import { isLocal } from '../../ui/local-address.ts';
import { Loaded, WarningNote } from '../../ui/states.tsx';
import { Findings } from '../setup/findings.tsx';
import { StepFrame, type StepProps } from './step-frame.tsx';
import { linksWords as words } from './words.ts';

/** The lines for the owner's home page, and whether the page has them. */
export function LinksStep(ways: StepProps): ReactElement {
  const tags = useAnswer('setup.linkTags', {});
  const me = useAnswer('settings.get', {}).data?.profile.me ?? null;
  const check = useSiteCheck(me !== null);
  const ready = check.data?.findings.every(({ level }) => level !== 'fail') === true;
  return (
    <StepFrame
      title={words.title}
      about={
        <>
          {words.aboutBefore}
          {me === null ? words.homePage : <Address url={me} />}
          {words.aboutAfter}
        </>
      }
      ready={ready}
      {...ways}
    >
      <Loaded query={tags} what={words.name}>
        {({ html, tags: [first] }) => (
          <>
            {first !== undefined && isLocal(first.href) && (
              <WarningNote>
                <b>{words.localProblem}</b> {words.local}
              </WarningNote>
            )}
            <CodeBlock text={html} what={words.name} />
          </>
        )}
      </Loaded>
      {me !== null && <LiveSite check={check} />}
    </StepFrame>
  );
}

/** What Porchlight finds on the owner's website right now. */
function LiveSite({ check }: { check: UseQueryResult<SelfTest> }): ReactElement {
  return (
    <Stack gap="sm">
      <Loaded query={check} what={words.site}>
        {({ findings }) => <Findings findings={findings} />}
      </Loaded>
      <Group gap="sm">
        <Button variant="default" loading={check.isFetching} onClick={() => void check.refetch()}>
          {words.check}
        </Button>
        <Text size="sm" c="dimmed">
          {words.often}
        </Text>
      </Group>
    </Stack>
  );
}

/** In milliseconds: often enough for somebody who has just saved a file, without burdening their web host. */
const everyMs = 10_000;

/** Checks the owner's website repeatedly while the window is visible. */
function useSiteCheck(enabled: boolean): UseQueryResult<SelfTest> {
  const client = useClient();
  return useQuery({
    queryKey: ['setup.check', { only: 'site' }],
    queryFn: () => client.call('setup.check', { only: 'site' }),
    enabled,
    refetchInterval: everyMs,
    refetchIntervalInBackground: false,
    staleTime: 0,
    gcTime: 0,
  });
}
