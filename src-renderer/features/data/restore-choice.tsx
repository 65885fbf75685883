import { Button, PasswordInput, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { useAction } from '../../client/queries.ts';
import { ErrorNote } from '../../ui/states.tsx';
import { DataForm } from './data-form.tsx';
import { PathField } from './path-field.tsx';

/** Asks which backup to restore, and has it checked. Nothing is restored by that. */
export function RestoreChoice({ busy }: { busy: boolean }): ReactElement {
  const [path, setPath] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const check = useAction('data.restore');
  const isCancelled = check.error instanceof PorchlightError && check.error.code === 'cancelled';
  return (
    <DataForm
      ready={path !== '' && !busy && !check.isPending}
      onSubmit={() => check.mutate({ path, ...(passphrase !== '' && { passphrase }) })}
    >
      <PathField
        label="Backup file"
        description="The full path of the .zip file."
        purpose="openBackup"
        value={path}
        onChange={setPath}
      />
      <PasswordInput
        label="Passphrase"
        description="Only if you want the secrets in the backup too, such as the key that keeps apps signed in."
        value={passphrase}
        onChange={(event) => setPassphrase(event.currentTarget.value)}
      />
      <Text size="sm" c="dimmed">
        Porchlight checks the file first and shows what would change. It restores nothing before you confirm.
      </Text>
      <ErrorNote error={isCancelled ? null : check.error} doing="The backup was not accepted." />
      <div>
        <Button type="submit" color="amber.5" disabled={path === '' || busy} loading={check.isPending}>
          Check this backup
        </Button>
      </div>
    </DataForm>
  );
}
