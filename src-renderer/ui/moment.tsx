import type { ReactElement } from 'react';
import { exactTime, relativeTime, timeAgo, useNow } from './time.ts';

/** Shows a past moment as relative time, with the exact time on hover. */
export function Ago({ at }: { at: string }): ReactElement {
  const now = useNow();
  return (
    <time dateTime={at} title={exactTime(at)}>
      {timeAgo(at, now)}
    </time>
  );
}

/** Shows a future moment as relative time, with the exact time on hover. */
export function Until({ at }: { at: string }): ReactElement {
  const now = useNow();
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relativeTime(at, now)}
    </time>
  );
}
