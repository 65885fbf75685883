import type { ReactElement } from 'react';
import type { Status } from '../../../src-main/contract/status.ts';
import { WarningNote } from '../../ui/states.tsx';

const decided = {
  off: 'without a tunnel (--tunnel off)',
  quick: 'with a quick tunnel (--tunnel quick)',
  named: 'with your named tunnel (--tunnel named)',
};

/** Says so where a flag decides how Porchlight is reached: what is chosen here counts only without it. */
export function FlagsNote({ flags: { baseUrl, tunnel } }: { flags: Status['flags'] }): ReactElement | null {
  const parts = [
    ...(baseUrl ? ['with a public address of its own (--base-url)'] : []),
    ...(tunnel === null ? [] : [decided[tunnel]]),
  ];
  if (parts.length === 0) return null;
  return (
    <WarningNote>
      <b>This time a flag decides.</b> Porchlight was started {parts.join(' and ')}. What you choose here is
      kept, and counts when it starts without {parts.length === 1 ? 'that flag' : 'those flags'}.
    </WarningNote>
  );
}
