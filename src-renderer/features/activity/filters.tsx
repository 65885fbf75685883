import { Group, SegmentedControl } from '@mantine/core';
import type { ReactElement } from 'react';
import type { ActivityArea } from '../../../src-main/contract/activity.ts';
import type { Params } from '../../../src-main/contract/contract.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { areas } from './areas.ts';
import { filterWords } from './words.ts';

type ActivityFilter = Pick<Params<'activity.list'>, 'area' | 'query'>;

const longestSearch = 200;

/** Returns what the window's address asks to list. An unknown area is left out. */
export function activityFiltersIn({
  query = '',
  area = '',
}: Partial<Record<string, string>>): ActivityFilter {
  return {
    ...(query !== '' && { query: query.slice(0, longestSearch) }),
    ...(Object.hasOwn(areas, area) && { area: area as ActivityArea }),
  };
}

interface Props {
  readonly filter: ActivityFilter;
  readonly search: string;
  readonly onSearch: (text: string) => void;
  readonly onChange: (filters: Record<string, string>) => void;
}

/** Narrows the list by words and area. */
export function ActivityFilters({ filter, search, onSearch, onChange }: Props): ReactElement {
  return (
    <Group gap="sm" align="center">
      <SearchField label={filterWords.search} longest={longestSearch} value={search} onChange={onSearch} />
      <SegmentedControl
        aria-label={filterWords.area}
        size="sm"
        value={filter.area ?? ''}
        data={[
          { value: '', label: filterWords.all },
          ...Object.entries(areas).map(([value, { words }]) => ({ value, label: words })),
        ]}
        onChange={(area) => onChange({ area })}
      />
    </Group>
  );
}
