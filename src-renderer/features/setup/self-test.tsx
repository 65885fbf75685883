import { Button, Group, Stack, Text } from '@mantine/core';
import { useEffect, type ReactElement } from 'react';
import type { SelfTest as Result } from '../../../src-main/contract/reach.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { Address } from '../../ui/foreign.tsx';
import { Ago } from '../../ui/moment.tsx';
import { ErrorNote, Loaded, WarningNote } from '../../ui/states.tsx';
import { Findings } from './findings.tsx';
import { checkWords as words } from './words.ts';

interface Props {
  /** Starts a check when the component appears, and makes its button a secondary one. */
  readonly atOnce?: boolean;
  /** Shows of what could be better only the titles; the rest opens below them. */
  readonly foldWarnings?: boolean;
  /** Called with the result of each check that was started here. */
  readonly onChecked?: (result: Result) => void;
}

/** The self-test: the last result, and a button to check again. */
export function SelfTest({ atOnce = false, foldWarnings = false, onChecked }: Props): ReactElement {
  const last = useAnswer('setup.lastCheck', {});
  const base = useAnswer('status.get', {}).data?.baseUrl;
  const check = useAction('setup.check');
  const { mutate, data: result } = check;
  useEffect(() => {
    if (result) onChecked?.(result);
  }, [result, onChecked]);
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
          {last.data ? words.again : words.start}
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {check.isPending ? (
            words.running
          ) : last.data ? (
            <>
              {words.last} <Ago at={last.data.at} />
            </>
          ) : null}
        </Text>
      </Group>
      <ErrorNote error={check.error} doing={words.failed} />
      <Loaded query={last} what={words.reading}>
        {(test) =>
          test && (
            <>
              {base !== undefined && test.base !== base && (
                <WarningNote>
                  {words.movedBefore}
                  <Address url={test.base} />
                  {words.movedAfter}
                </WarningNote>
              )}
              {test.findings.length > 0 && <Findings findings={test.findings} foldWarnings={foldWarnings} />}
            </>
          )
        }
      </Loaded>
    </Stack>
  );
}
