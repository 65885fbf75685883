import { Button, Group, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { SelfTest } from '../../../src-main/contract/reach.ts';
import { Loaded } from '../../ui/states.tsx';
import { Findings } from '../setup/findings.tsx';
import { linksWords } from './words.ts';

/** What Porchlight finds on the owner's website right now. */
export function LiveSite({ check }: { check: UseQueryResult<SelfTest> }): ReactElement {
  return (
    <Stack gap="sm">
      <Loaded query={check} what={linksWords.site}>
        {({ findings }) => <Findings findings={findings} />}
      </Loaded>
      <Group gap="sm">
        <Button variant="default" loading={check.isFetching} onClick={() => void check.refetch()}>
          {linksWords.check}
        </Button>
        <Text size="sm" c="dimmed">
          {linksWords.often}
        </Text>
      </Group>
    </Stack>
  );
}
