import type { ReactElement } from 'react';
import { exactTime, relativeTime, timeAgo, useNow } from './time.ts';

/** A past moment, relative, with the exact one on hover. */
export function Ago({ at }: { at: string }): ReactElement {
  const now = useNow();
  return (
    <time dateTime={at} title={exactTime(at)}>
      {timeAgo(at, now)}
    </time>
  );
}

/** A moment to come, relative, with the exact one on hover. */
export function Until({ at }: { at: string }): ReactElement {
  const now = useNow();
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relativeTime(at, now)}
    </time>
  );
}
