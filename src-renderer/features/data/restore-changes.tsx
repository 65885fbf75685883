import { Checkbox, Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import type { RestoreChange } from '../../../src-main/contract/data.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { wordsOf } from './change-words.ts';
import { restoreReviewWords as words } from './restore-words.ts';

interface Props {
  readonly changes: readonly RestoreChange[];
  /** The names of the settings that are taken from the backup. */
  readonly accept: ReadonlySet<string>;
  readonly onChange: (setting: string, isAccepted: boolean) => void;
}

/** Lists the changes that a restore would make, with both values and a box to tick for each. */
export function ChangeList({ changes, accept, onChange }: Props): ReactElement {
  return (
    <Stack gap="md">
      {changes.map((change) => {
        const { label, about, value } = wordsOf(change);
        return (
          <Checkbox
            key={change.setting}
            checked={accept.has(change.setting)}
            onChange={(event) => onChange(change.setting, event.currentTarget.checked)}
            label={label}
            description={
              <>
                {words.here} <Foreign text={value(change.here)} />. {words.there}{' '}
                <Foreign text={value(change.there)} />.
                {about !== undefined && (
                  <>
                    <br />
                    {about}
                  </>
                )}
              </>
            }
          />
        );
      })}
    </Stack>
  );
}
