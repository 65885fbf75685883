import { Stack, Switch } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { useAction } from '../../client/queries.ts';
import { ErrorNote } from '../../ui/states.tsx';

type Desktop = Settings['desktop'];

/** What the desktop app does on this computer. Each takes effect at once. */
export function ThisComputer({ desktop }: { desktop: Desktop }): ReactElement {
  const save = useAction('settings.update');
  const choice = (name: keyof Desktop) => ({
    checked: desktop[name],
    onChange: ({ currentTarget }: { currentTarget: { checked: boolean } }) =>
      save.mutate({ desktop: { [name]: currentTarget.checked } }),
  });
  return (
    <Stack gap="sm">
      <Switch
        label="Start at login"
        description="Without a window: the light is on in the tray."
        disabled={save.isPending}
        {...choice('startAtLogin')}
      />
      <Switch
        label="Show notifications"
        description="When an app asks to sign in, and when others mention you."
        disabled={save.isPending}
        {...choice('notifications')}
      />
      <Switch label="With sound" disabled={save.isPending || !desktop.notifications} {...choice('sound')} />
      <ErrorNote error={save.error} doing="It was not saved." />
    </Stack>
  );
}
