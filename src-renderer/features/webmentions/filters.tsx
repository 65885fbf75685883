import { CloseButton, Group, NativeSelect, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Params } from '../../../src-main/contract/contract.ts';
import { hostTyped } from '../../ui/host.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { mentionTypeList, mentionTypes } from '../../../src-main/contract/mention-types.ts';
import { statusWords } from './naming.ts';
import { filterWords } from './words.ts';

export type MentionFilter = Omit<Params<'webmentions.list'>, 'cursor' | 'limit'>;

/** Returns the filters that an address names. Unknown types and statuses are left out. */
export function mentionFiltersIn(filters: Partial<Record<string, string>>): MentionFilter {
  const { query = '', type = '', status = '', host = '', target = '' } = filters;
  return {
    ...(query !== '' && { query: query.slice(0, 500) }),
    ...(Object.hasOwn(mentionTypes, type) && { type: type as NonNullable<MentionFilter['type']> }),
    ...(Object.hasOwn(statusWords, status) && { status: status as NonNullable<MentionFilter['status']> }),
    ...(host !== '' && { host: host.slice(0, 253) }),
    ...(target !== '' && { target: target.slice(0, 4096) }),
  };
}

interface Props {
  readonly filter: MentionFilter;
  readonly search: string;
  readonly onSearch: (text: string) => void;
  readonly onChange: (filters: Record<string, string>) => void;
}

/** Filters the list by text, type, status and site. */
export function MentionFilters({ filter, search, onSearch, onChange }: Props): ReactElement {
  return (
    <Group gap="sm" align="flex-start">
      <SearchField label={filterWords.search} value={search} onChange={onSearch} />
      <NativeSelect
        aria-label={filterWords.type}
        value={filter.type ?? ''}
        data={[
          { value: '', label: filterWords.anyType },
          ...mentionTypeList.map((value) => ({ value, label: capital(mentionTypes[value].many) })),
        ]}
        onChange={(event) => onChange({ type: event.currentTarget.value })}
      />
      <NativeSelect
        aria-label={filterWords.status}
        value={filter.status ?? ''}
        data={[
          { value: '', label: filterWords.anyStatus },
          ...Object.entries(statusWords).map(([value, label]) => ({ value, label })),
        ]}
        onChange={(event) => onChange({ status: event.currentTarget.value })}
      />
      <SiteField key={filter.host ?? ''} host={filter.host ?? ''} onChange={(host) => onChange({ host })} />
    </Group>
  );
}

/** Filters only when the name is complete, because half a name matches nothing. */
function SiteField({ host, onChange }: { host: string; onChange: (host: string) => void }): ReactElement {
  const [typed, setTyped] = useState(host);
  const [wrong, setWrong] = useState(false);
  const take = () => {
    const typedHost = typed.trim() === '' ? '' : hostTyped(typed);
    setWrong(typedHost === undefined);
    if (typedHost !== undefined && typedHost !== host) onChange(typedHost);
  };
  return (
    <TextInput
      aria-label={filterWords.site}
      placeholder={filterWords.anySite}
      flex="1 1 150px"
      maxLength={2048}
      value={typed}
      error={wrong ? filterWords.notASite : undefined}
      rightSection={
        host === '' ? null : (
          <CloseButton size="sm" aria-label={filterWords.clearSite} onClick={() => onChange('')} />
        )
      }
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={take}
      onKeyDown={(event) => event.key === 'Enter' && take()}
    />
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
