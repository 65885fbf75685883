import { Group, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { PathChoice } from '../../../src-main/contract/data.ts';
import { ChoosePath } from '../../ui/choose-path.tsx';
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
  const [error, setError] = useState<Error | null>(null);
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
        <ChoosePath what={label} {...{ purpose, suggestion, onChoose: onChange, onError: setError }} />
      </Group>
      <ErrorNote error={error} />
    </div>
  );
}
