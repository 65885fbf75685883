import { Button, PasswordInput, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useAction } from '../../client/queries.ts';
import { ErrorNote } from '../../ui/states.tsx';
import { DataForm, showOutcome } from './data-form.tsx';
import { PathField } from './path-field.tsx';

/** Gets a backup ready. Nothing changes before the owner starts again, and is asked for that. */
export function RestoreForm({ busy }: { busy: boolean }): ReactElement {
  const [path, setPath] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const restore = useAction('data.restore');
  const ready = path !== '' && !busy && !restore.isPending;
  return (
    <DataForm
      ready={ready}
      onSubmit={() =>
        restore.mutate({ path, ...(passphrase !== '' && { passphrase }) }, { onSuccess: showOutcome })
      }
    >
      <PathField label="The backup" purpose="openBackup" value={path} onChange={setPath} />
      <PasswordInput
        label="Its passphrase, if you want the secrets too"
        value={passphrase}
        onChange={(event) => setPassphrase(event.currentTarget.value)}
      />
      <Text size="sm" c="dimmed">
        The backup is checked first. When Porchlight starts again, it takes the place of what is here, which
        is kept beside it. Who is signed in stays as it is here: nothing that you signed out comes back. On a
        new computer, the secrets bring along who was signed in; without them, apps sign in again there.
      </Text>
      <ErrorNote error={restore.error} doing="It was not restored." />
      <div>
        <Button type="submit" variant="default" disabled={path === '' || busy} loading={restore.isPending}>
          Check this backup
        </Button>
      </div>
      {restore.data?.problems.map((problem) => (
        <Text key={problem} size="sm">
          In this backup: {problem}
        </Text>
      ))}
    </DataForm>
  );
}
