import { Group, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { PathChoice } from '../../../src-main/contract/data.ts';
import { ChoosePath } from '../../ui/choose-path.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { pathWords } from './words.ts';

interface Props {
  readonly id?: string;
  readonly label: string;
  readonly description?: string;
  readonly purpose: PathChoice;
  readonly suggestion?: string;
  readonly value: string;
  /** What is wrong with the path. */
  readonly problem?: string;
  readonly onChange: (path: string) => void;
  /** Called instead of `onChange` with a path that was chosen in the system dialog. */
  readonly onChoose?: (path: string) => void;
}

/** A field for a path on this computer: chosen in a system dialog on the desktop, typed in a browser. */
export function PathField({ id, label, description, purpose, ...props }: Props): ReactElement {
  const { suggestion, value, problem, onChange, onChoose = onChange } = props;
  const [error, setError] = useState<Error | null>(null);
  return (
    <div>
      <Group align="flex-end" gap="xs">
        <TextInput
          {...(id !== undefined && { id })}
          label={label}
          description={description ?? pathWords.description}
          value={value}
          maxLength={4096}
          error={problem}
          flex="1 1 220px"
          onChange={(event) => onChange(event.currentTarget.value)}
        />
        <ChoosePath what={label} {...{ purpose, suggestion, onChoose, onError: setError }} />
      </Group>
      <ErrorNote error={error} />
    </div>
  );
}
