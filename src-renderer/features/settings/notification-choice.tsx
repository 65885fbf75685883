import { Stack, Switch } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAction } from '../../client/queries.ts';
import { ErrorNote } from '../../ui/states.tsx';

/** Whether the desktop tells of sign-ins. Takes effect at once. */
export function NotificationChoice({ on }: { on: boolean }): ReactElement {
  const save = useAction('settings.update');
  return (
    <Stack gap="xs">
      <Switch
        label="Tell me when an app asks to sign in"
        checked={on}
        disabled={save.isPending}
        onChange={(event) => save.mutate({ desktop: { notifications: event.currentTarget.checked } })}
      />
      <ErrorNote error={save.error} doing="It was not saved." />
    </Stack>
  );
}
