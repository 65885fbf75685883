import { CloseButton, Group, SegmentedControl, TextInput } from '@mantine/core';
import { IconSearch } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import type { ActivityArea } from '../../../src-main/contract/activity.ts';
import type { Params } from '../../../src-main/contract/contract.ts';
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
      <TextInput
        type="search"
        aria-label={filterWords.search}
        placeholder={filterWords.search}
        flex="1 1 220px"
        maxLength={longestSearch}
        value={search}
        leftSection={<IconSearch size={16} aria-hidden="true" />}
        rightSection={
          search === '' ? null : (
            <CloseButton size="sm" aria-label={filterWords.clear} onClick={() => onSearch('')} />
          )
        }
        onChange={(event) => onSearch(event.currentTarget.value)}
      />
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
