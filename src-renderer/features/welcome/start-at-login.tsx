import { Switch } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAction, useAnswer } from '../../client/queries.ts';
import { ErrorNote } from '../../ui/states.tsx';

/** Whether Porchlight is there when the owner logs in. Takes effect at once. */
export function StartAtLogin(): ReactElement {
  const on = useAnswer('settings.get', {}).data?.desktop.startAtLogin ?? false;
  const save = useAction('settings.update');
  return (
    <>
      <Switch
        label="Start Porchlight when I log in to this computer"
        description="While it is off, nobody can sign in with your domain."
        checked={on}
        disabled={save.isPending}
        onChange={(event) => save.mutate({ desktop: { startAtLogin: event.currentTarget.checked } })}
      />
      <ErrorNote error={save.error} doing="It was not saved." />
    </>
  );
}
