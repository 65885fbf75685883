import { Button, Group, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import type { PathChoice } from '../../../src-main/contract/data.ts';
import { useAction, useClient } from '../../client/queries.ts';
import { ErrorNote } from '../../ui/states.tsx';

interface Props {
  readonly label: string;
  readonly description?: string;
  readonly purpose: PathChoice;
  readonly suggestion?: string;
  readonly value: string;
  readonly onChange: (path: string) => void;
}

/** A place on this computer: chosen in a dialog on the desktop, typed in a browser. */
export function PathField({ label, description, purpose, suggestion, value, onChange }: Props): ReactElement {
  const { home } = useClient();
  const choose = useAction('desktop.choosePath');
  const wanted = { purpose, ...(suggestion !== undefined && { suggestion }) };
  return (
    <div>
      <Group align="flex-end" gap="xs">
        <TextInput
          label={label}
          description={description ?? 'The whole path, from the root of the disk.'}
          value={value}
          maxLength={4096}
          style={{ flexGrow: 1 }}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
        {home === 'desktop' && (
          <Button
            variant="default"
            aria-label={`Choose: ${label}`}
            onClick={() =>
              choose.mutate(wanted, { onSuccess: ({ path }) => path !== null && onChange(path) })
            }
          >
            Choose…
          </Button>
        )}
      </Group>
      <ErrorNote error={choose.error} />
    </div>
  );
}
