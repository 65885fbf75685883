import { Group, NativeSelect, SegmentedControl } from '@mantine/core';
import type { ReactElement } from 'react';
import { isPostKind, postKindList, postKinds } from '../../../src-main/contract/post-kinds.ts';
import type { Params } from '../../../src-main/contract/contract.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { filterWords } from './words.ts';

type PostFilter = Omit<Params<'posts.list'>, 'cursor' | 'limit'>;

/** Returns the filters in the window's address. Ignores kinds and statuses that do not exist. */
export function postFiltersIn({
  query = '',
  kind = '',
  status = '',
}: Partial<Record<string, string>>): PostFilter {
  return {
    ...(query !== '' && { query: query.slice(0, 500) }),
    ...(isPostKind(kind) && { kind }),
    ...(status !== '' &&
      Object.hasOwn(filterWords.statuses, status) && { status: status as NonNullable<PostFilter['status']> }),
  };
}

interface Props {
  readonly filter: PostFilter;
  readonly search: string;
  readonly onSearch: (text: string) => void;
  readonly onChange: (filters: Record<string, string>) => void;
}

/** Filters the list by text, kind and status. */
export function PostFilters({ filter, search, onSearch, onChange }: Props): ReactElement {
  return (
    <Group gap="sm" align="center">
      <SearchField label={filterWords.search} value={search} onChange={onSearch} />
      <NativeSelect
        aria-label={filterWords.kind}
        value={filter.kind ?? ''}
        data={[
          { value: '', label: filterWords.allKinds },
          ...postKindList.map((value) => ({ value, label: postKinds[value].plural })),
        ]}
        onChange={(event) => onChange({ kind: event.currentTarget.value })}
      />
      <SegmentedControl
        aria-label={filterWords.status}
        size="sm"
        value={filter.status ?? ''}
        data={Object.entries(filterWords.statuses).map(([value, label]) => ({ value, label }))}
        onChange={(status) => onChange({ status })}
      />
    </Group>
  );
}
