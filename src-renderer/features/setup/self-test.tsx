import { Button, Group, Stack, Text } from '@mantine/core';
import { useEffect, type ReactElement } from 'react';
import { useAction, useAnswer } from '../../client/queries.ts';
import { Address } from '../../ui/foreign.tsx';
import { Ago } from '../../ui/moment.tsx';
import { ErrorNote, Loaded, WarningNote } from '../../ui/states.tsx';
import { Findings } from './findings.tsx';

interface Props {
  /** One begins when this comes into sight, and doing it again is not what the screen is for. */
  readonly atOnce?: boolean;
}

/** The self-test: what the last one found, and a way to do it again. */
export function SelfTest({ atOnce = false }: Props): ReactElement {
  const last = useAnswer('setup.lastCheck', {});
  const base = useAnswer('status.get', {}).data?.baseUrl;
  const check = useAction('setup.check');
  const { mutate } = check;
  useEffect(() => {
    if (atOnce) mutate({});
  }, [atOnce, mutate]);
  return (
    <Stack gap="md">
      <Group gap="md">
        <Button
          {...(atOnce ? { variant: 'default' } : { color: 'amber.5' })}
          loading={check.isPending}
          onClick={() => mutate({})}
        >
          {last.data ? 'Check again' : 'Check'}
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {check.isPending ? (
            'Knocking at your own door. This takes up to half a minute.'
          ) : last.data ? (
            <>
              Last checked <Ago at={last.data.at} />
            </>
          ) : null}
        </Text>
      </Group>
      <ErrorNote error={check.error} doing="It could not be checked." />
      <Loaded query={last} what="the last check">
        {(test) =>
          test && (
            <>
              {base !== undefined && test.base !== base && (
                <WarningNote>
                  This was checked at <Address url={test.base} />. Your address has changed since: check
                  again.
                </WarningNote>
              )}
              {test.findings.length > 0 && <Findings findings={test.findings} />}
            </>
          )
        }
      </Loaded>
    </Stack>
  );
}
