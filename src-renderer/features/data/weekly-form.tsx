import { NumberInput, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { useAction } from '../../client/queries.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { Form } from '../../ui/form.tsx';
import { Ago } from '../../ui/moment.tsx';
import { WarningNote } from '../../ui/states.tsx';
import { SaveRow } from '../settings/save-row.tsx';
import { PathField } from './path-field.tsx';
import { weeklyWords } from './words.ts';

interface Props {
  readonly backup: Settings['backup'];
  readonly data: Pick<Result<'data.folder'>, 'lastWeekly' | 'weeklyProblem'>;
}

/** Asks where weekly backups go and how many to keep. */
export function WeeklyForm({ backup, data }: Props): ReactElement {
  const [draft, setDraft] = useState<Partial<Settings['backup']>>({});
  const save = useAction('settings.update');
  const { folder, keep } = { ...backup, ...draft };
  const changed = folder !== backup.folder || keep !== backup.keep;
  return (
    <Form
      gap="sm"
      ready={changed && !save.isPending}
      onSubmit={() => save.mutate({ backup: { folder, keep } }, { onSuccess: () => setDraft({}) })}
    >
      <PathField
        label={weeklyWords.folder}
        description={weeklyWords.aboutFolder}
        purpose="weeklyFolder"
        value={folder}
        onChange={(path) => setDraft({ ...draft, folder: path })}
      />
      <NumberInput
        label={weeklyWords.keep}
        {...{ min: 1, max: 100, maw: 240, allowDecimal: false, value: keep }}
        onChange={(value) => typeof value === 'number' && setDraft({ ...draft, keep: value })}
      />
      {data.weeklyProblem !== null && (
        <WarningNote>
          <Foreign text={data.weeklyProblem} />
        </WarningNote>
      )}
      {backup.folder !== '' && (
        <Text size="sm" c="dimmed">
          {data.lastWeekly === null ? (
            weeklyWords.none
          ) : (
            <>
              {weeklyWords.last} <Ago at={data.lastWeekly} />.
            </>
          )}
        </Text>
      )}
      <SaveRow secondary changed={changed} save={save} onDiscard={() => setDraft({})} />
    </Form>
  );
}
