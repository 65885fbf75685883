import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from './icons.ts';
import type { ReactElement } from 'react';
import { searchWords } from './words.ts';

interface Props {
  readonly label: string;
  /** The most characters that the service takes. */
  readonly longest?: number;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** The search field of a list, as wide as its place allows. */
export function SearchField({ label, longest = 500, value, onChange }: Props): ReactElement {
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      flex="2 1 200px"
      maxLength={longest}
      value={value}
      leftSection={<IconSearch size={16} aria-hidden="true" />}
      rightSection={
        value === '' ? null : (
          <CloseButton size="sm" aria-label={searchWords.clear} onClick={() => onChange('')} />
        )
      }
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
