import type { QueryClient } from '@tanstack/react-query';

/** Where the cache holds how many things have arrived since the owner dismissed the last count. */
export const arrivedKey = ['mailbox.arrived'];

/** Has the cache keep the count while no screen shows it. */
export function keepArrived(cache: QueryClient): void {
  cache.setQueryDefaults(arrivedKey, { gcTime: Infinity, staleTime: Infinity });
}

/** Adds what was fetched from the mailbox to the count. */
export function noteArrived(cache: QueryClient, arrived: number): void {
  cache.setQueryData<number>(arrivedKey, (before = 0) => before + arrived);
}
