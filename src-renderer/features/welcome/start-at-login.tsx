import { Switch } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAction, useAnswer } from '../../client/queries.ts';
import { ErrorNote } from '../../ui/states.tsx';
import { doneWords } from './words.ts';

/** Whether Porchlight starts when the owner logs in. Takes effect at once. */
export function StartAtLogin(): ReactElement {
  const on = useAnswer('settings.get', {}).data?.desktop.startAtLogin ?? false;
  const save = useAction('settings.update');
  return (
    <>
      <Switch
        label={doneWords.startAtLogin}
        description={doneWords.startAtLoginAbout}
        checked={on}
        disabled={save.isPending}
        onChange={(event) => save.mutate({ desktop: { startAtLogin: event.currentTarget.checked } })}
      />
      <ErrorNote error={save.error} doing={doneWords.notSaved} />
    </>
  );
}
