import type { ReactElement } from 'react';
import type { Status } from '../../../src-main/contract/status.ts';
import { WarningNote } from '../../ui/states.tsx';
import { flagsWords } from './words.ts';

/** Warns where command-line options decide how the web reaches Porchlight, whatever is chosen here. */
export function FlagsNote({ flags: { baseUrl, tunnel } }: { flags: Status['flags'] }): ReactElement | null {
  const parts = [
    ...(baseUrl ? [flagsWords.baseUrl] : []),
    ...(tunnel === null ? [] : [flagsWords.tunnel[tunnel]]),
  ];
  if (parts.length === 0) return null;
  return (
    <WarningNote>
      <b>{flagsWords.heading}</b> {flagsWords.explanation(parts)}
    </WarningNote>
  );
}
