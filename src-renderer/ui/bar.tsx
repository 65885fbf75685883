import { Progress } from '@mantine/core';
import type { ReactElement } from 'react';

interface Props {
  readonly done: number;
  /** Null or 0 if the total is unknown: the bar then moves without showing progress. */
  readonly total: number | null;
  /** The name for screen readers, such as "Import progress". */
  readonly label: string;
}

/** Shows the progress of long work. */
export function Bar({ done, total, label }: Props): ReactElement {
  if (total === null || total === 0) {
    return (
      <Progress.Root mb={6} aria-hidden="true">
        <Progress.Section value={100} color="amber.5" animated withAria={false} />
      </Progress.Root>
    );
  }
  const share = Math.min(100, (100 * done) / total);
  return <Progress value={share} color="amber.5" mb={6} aria-label={label} />;
}
