import type { FetchedResponse } from './fetched-response.ts';

/**
 * Returns the earliest time for the next request, from the response's Retry-After header (RFC 9110, 10.2.3), in ms
 * since the epoch. Returns undefined if the header is missing or invalid. `now` is in ms.
 */
export function retryAfter(answer: Pick<FetchedResponse, 'headers'>, now: number): number | undefined {
  const value = answer.headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return now + Number(value) * 1000;
  const date = value.length <= 40 && /^[A-Za-z]{3}/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}
