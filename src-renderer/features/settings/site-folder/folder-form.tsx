import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { FoundSite } from '../../../../src-main/contract/site-folder.ts';
import { Form } from '../../../ui/form.tsx';
import { hostIn } from '../../../ui/plain-text.ts';
import { ErrorNote } from '../../../ui/states.tsx';
import { SteadyButton } from '../../../ui/steady-button.tsx';
import { unnamedSite } from '../../../ui/words.ts';
import { SaveRow } from '../save-row.tsx';
import { useUnsaved } from '../unsaved.tsx';
import type { SettingsForm } from '../use-settings-form.ts';
import { FolderFields } from './folder-fields.tsx';
import { FolderPreview } from './folder-preview.tsx';
import { turnWords } from './words.ts';
import { useFolderPreview } from './use-folder-preview.ts';

interface Props {
  readonly form: SettingsForm<'siteFolder'>;
  /** What the folder holds, if it was examined. */
  readonly found: FoundSite | null;
  /** The host of Porchlight's own site. */
  readonly builtIn: string;
  readonly isOn: boolean;
  /** Hears that publishing is on now, in words. */
  readonly onTurned: (words: string) => void;
}

/** Sets how posts are written to the folder, beside a preview. Saves changes, or turns publishing on. */
export function FolderForm({ form, found, builtIn, isOn, onTurned }: Props): ReactElement {
  const { shown, draft, change } = form;
  const preview = useFolderPreview(shown);
  const turnOn = () =>
    form.submit({ ...shown, on: true }, () => onTurned(turnWords.isOn(hostIn(shown.baseUrl))));
  return (
    <Form gap="xl" ready={isOn} onSubmit={() => form.submit()}>
      <FolderPreview {...preview} />
      <FolderFields
        {...{ shown, change, found, builtIn }}
        isAdopting={isOn && shown.adopt && draft.adopt === undefined}
        {...(preview.faulty !== undefined &&
          preview.error && { problem: [preview.faulty, preview.error.message] })}
      />
      {isOn ? (
        <SaveRow changed={Object.keys(draft).length > 0} save={form.save} onDiscard={form.discard} />
      ) : (
        <TurnOn form={form} onClick={turnOn} />
      )}
    </Form>
  );
}

function TurnOn({ form, onClick }: Pick<Props, 'form'> & { onClick: () => void }): ReactElement {
  const { shown, draft, save } = form;
  useUnsaved(Object.keys(draft).length > 0);
  return (
    <div>
      <Text size="sm" mb="sm">
        {turnWords.onMeans(shown.path, hostIn(shown.baseUrl) || unnamedSite)}
      </Text>
      <ErrorNote error={save.error} doing={turnWords.onFailed} />
      <SteadyButton color="amber.5" mt={save.error ? 'sm' : 0} loading={save.isPending} onClick={onClick}>
        {turnWords.on}
      </SteadyButton>
    </div>
  );
}
