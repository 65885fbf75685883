import { Group, NativeSelect, SegmentedControl } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Params } from '../../../src-main/contract/contract.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { kinds } from './kinds.ts';

type Wanted = Omit<Params<'posts.list'>, 'cursor' | 'limit'>;

const statusWords: Record<string, string> = {
  '': 'All',
  published: 'Published',
  draft: 'Drafts',
  scheduled: 'Scheduled',
  deleted: 'Deleted',
};

/** What the address asks to list: everything that is not a known kind or status is left out. */
export function wantedIn({ query = '', kind = '', status = '' }: Partial<Record<string, string>>): Wanted {
  return {
    ...(query !== '' && { query: query.slice(0, 500) }),
    ...(Object.hasOwn(kinds, kind) && { kind: kind as NonNullable<Wanted['kind']> }),
    ...(status !== '' &&
      Object.hasOwn(statusWords, status) && { status: status as NonNullable<Wanted['status']> }),
  };
}

interface Props {
  readonly wanted: Wanted;
  readonly search: string;
  readonly onSearch: (text: string) => void;
  readonly onChange: (filters: Record<string, string>) => void;
}

/** Narrows the list by words, kind and status. */
export function Filters({ wanted, search, onSearch, onChange }: Props): ReactElement {
  return (
    <Group gap="sm" align="center">
      <SearchField
        label="Search your posts"
        placeholder="Search your posts"
        value={search}
        onChange={onSearch}
      />
      <NativeSelect
        aria-label="Kind"
        value={wanted.kind ?? ''}
        data={[
          { value: '', label: 'Every kind' },
          ...Object.entries(kinds).map(([value, { many }]) => ({ value, label: many })),
        ]}
        onChange={(event) => onChange({ kind: event.currentTarget.value })}
      />
      <SegmentedControl
        aria-label="Status"
        size="sm"
        value={wanted.status ?? ''}
        data={Object.entries(statusWords).map(([value, label]) => ({ value, label }))}
        onChange={(status) => onChange({ status })}
      />
    </Group>
  );
}
