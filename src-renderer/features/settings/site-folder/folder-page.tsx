import { Stack, Text } from '@mantine/core';
import { useRef, useState, type ReactElement } from 'react';
import { flushSync } from 'react-dom';
import type { FoundSite } from '../../../../src-main/contract/site-folder.ts';
import { siteNameOf, useFolderStatus } from '../../../client/own-site.ts';
import { useAnswer } from '../../../client/queries.ts';
import shared from '../../../ui/shared.module.css';
import { useSettingsForm } from '../use-settings-form.ts';
import { FolderChooser } from './folder-chooser.tsx';
import { FolderForm } from './folder-form.tsx';
import { suggestions, type FolderSettings } from './folder-rules.ts';
import { FolderStatus } from './folder-status.tsx';
import { Found } from './found.tsx';
import { TurnOff } from './turn-off.tsx';
import { chooserWords, turnWords } from './words.ts';

/** Publishes to the folder of the owner's own site: its state, and how posts are written. */
export function FolderPage({ saved }: { saved: FolderSettings }): ReactElement {
  const form = useSettingsForm('siteFolder', saved);
  const [found, setFound] = useState<FoundSite | null>(null);
  const [isOther, setIsOther] = useState(false);
  const [outcome, setOutcome] = useState('');
  const note = useRef<HTMLParagraphElement>(null);
  const builtIn = siteNameOf({ ...saved, on: false }, useAnswer('status.get', {}).data?.baseUrl ?? '');
  const waiting = useFolderStatus()?.waiting ?? 0;
  const { shown, change } = form;

  const examined = (site: FoundSite) => {
    setFound(site);
    // The owner's own choices for this folder outweigh what the folder suggests.
    if (site.suggested.path !== shown.path) change(site.suggested);
  };
  // The button that was pressed is gone.
  const turned = (words: string) => {
    flushSync(() => {
      setOutcome(words);
      setFound(null);
    });
    note.current?.focus();
  };

  return (
    <Stack gap="xl">
      <Text ref={note} role="status" tabIndex={-1} className={shared.outcome}>
        {outcome}
      </Text>
      {(saved.on || waiting > 0) && <FolderStatus settings={saved} />}
      {shown.path === '' && <Text>{chooserWords.intro}</Text>}
      <FolderChooser path={shown.path} isOn={saved.on} onFound={examined} onOther={setIsOther} />
      {found?.suggested.path === shown.path && !isOther && (
        <Found
          found={found}
          onSuggest={hasSuggestions(found, shown) ? () => change(found.suggested) : null}
        />
      )}
      {shown.path !== '' && !isOther && (
        <FolderForm
          form={form}
          found={found?.suggested.path === shown.path ? found : null}
          builtIn={builtIn}
          isOn={saved.on}
          onTurned={turned}
        />
      )}
      {saved.on && (
        <TurnOff settings={saved} builtIn={builtIn} onDone={() => turned(turnWords.isOff(builtIn))} />
      )}
    </Stack>
  );
}

const hasSuggestions = (found: FoundSite, shown: FolderSettings) =>
  Object.keys(suggestions(found, shown)).length > 0;
