import { CloseButton, Group, NativeSelect, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Params } from '../../../src-main/contract/contract.ts';
import { hostTyped } from '../../ui/host.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { statusWords, typeNames, types } from './words.ts';

export type Wanted = Omit<Params<'webmentions.list'>, 'cursor' | 'limit'>;

/** What the address asks to list: everything that is not a known type or state is left out. */
export function wantedIn(filters: Partial<Record<string, string>>): Wanted {
  const { query = '', type = '', status = '', host = '', target = '' } = filters;
  return {
    ...(query !== '' && { query: query.slice(0, 500) }),
    ...(Object.hasOwn(types, type) && { type: type as NonNullable<Wanted['type']> }),
    ...(Object.hasOwn(statusWords, status) && { status: status as NonNullable<Wanted['status']> }),
    ...(host !== '' && { host: host.slice(0, 253) }),
    ...(target !== '' && { target: target.slice(0, 4096) }),
  };
}

interface Props {
  readonly wanted: Wanted;
  readonly search: string;
  readonly onSearch: (text: string) => void;
  readonly onChange: (filters: Record<string, string>) => void;
}

/** Narrows the list by words, type, state and site. */
export function Filters({ wanted, search, onSearch, onChange }: Props): ReactElement {
  return (
    <Group gap="sm" align="flex-start">
      <SearchField
        label="Search mentions"
        placeholder="Search names and texts"
        value={search}
        onChange={onSearch}
      />
      <NativeSelect
        aria-label="Type"
        value={wanted.type ?? ''}
        data={[
          { value: '', label: 'Every type' },
          ...typeNames.map((value) => ({ value, label: capital(types[value].many) })),
        ]}
        onChange={(event) => onChange({ type: event.currentTarget.value })}
      />
      <NativeSelect
        aria-label="State"
        value={wanted.status ?? ''}
        data={[
          { value: '', label: 'Every state' },
          ...Object.entries(statusWords).map(([value, label]) => ({ value, label })),
        ]}
        onChange={(event) => onChange({ status: event.currentTarget.value })}
      />
      <SiteField key={wanted.host ?? ''} host={wanted.host ?? ''} onChange={(host) => onChange({ host })} />
    </Group>
  );
}

/** A site is looked for when it is written out: half of its name fits nothing. */
function SiteField({ host, onChange }: { host: string; onChange: (host: string) => void }): ReactElement {
  const [typed, setTyped] = useState(host);
  const [wrong, setWrong] = useState(false);
  const take = () => {
    const wanted = typed.trim() === '' ? '' : hostTyped(typed);
    setWrong(wanted === undefined);
    if (wanted !== undefined && wanted !== host) onChange(wanted);
  };
  return (
    <TextInput
      aria-label="From site"
      placeholder="From any site"
      flex="1 1 150px"
      maxLength={2048}
      value={typed}
      error={wrong ? 'That is not the name of a site.' : undefined}
      rightSection={
        host === '' ? null : <CloseButton size="sm" aria-label="From any site" onClick={() => onChange('')} />
      }
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={take}
      onKeyDown={(event) => event.key === 'Enter' && take()}
    />
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
