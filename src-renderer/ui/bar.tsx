import { Progress } from '@mantine/core';
import type { ReactElement } from 'react';

interface Props {
  readonly done: number;
  /** Null or 0 where nobody knows: then it moves without saying how far. */
  readonly total: number | null;
  /** What it tells of: "How far the import is". */
  readonly label: string;
}

/** How far long work is. */
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
