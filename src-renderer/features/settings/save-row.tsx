import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { ErrorNote } from '../../ui/states.tsx';

interface Props {
  /** True where something waits to be saved. */
  readonly changed: boolean;
  readonly save: { readonly isPending: boolean; readonly isSuccess: boolean; readonly error: Error | null };
  readonly onDiscard: () => void;
}

/** The end of a form: save, or go back to what is saved. */
export function SaveRow({ changed, save, onDiscard }: Props): ReactElement {
  return (
    <Stack gap="xs">
      <ErrorNote error={save.error} doing="It was not saved." />
      <Group>
        <Button type="submit" color="amber.5" disabled={!changed} loading={save.isPending}>
          Save
        </Button>
        {changed && (
          <Button variant="default" disabled={save.isPending} onClick={onDiscard}>
            Discard changes
          </Button>
        )}
        <Text role="status" size="sm" c="dimmed">
          {!changed && save.isSuccess ? 'Saved.' : ''}
        </Text>
      </Group>
    </Stack>
  );
}
