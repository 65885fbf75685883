import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import type { Screen } from '../src-main/contract/window.ts';
import { setFilters, useRoute } from './routes.ts';

/** Milliseconds without a key before the list is asked again. */
const typingPause = 250;

/** Returns the filters of a screen's list, which are in the address, the text of its search field, and how to change them. */
export function useFilters(screen: Screen) {
  const { id: opened, filters } = useRoute();
  const [search, setSearch] = useState(filters.query ?? '');
  const narrow = (change: Record<string, string>) => setFilters(screen, { ...filters, ...change });
  const narrowLater = useDebouncedCallback((query: string) => narrow({ query }), typingPause);
  return {
    opened,
    filters,
    search,
    narrow,
    onSearch: (text: string) => {
      setSearch(text);
      narrowLater(text);
    },
    /** Puts other filters in the place of all. */
    start: (next: Record<string, string> = {}) => {
      narrowLater.cancel();
      setSearch('');
      setFilters(screen, next);
    },
  };
}
