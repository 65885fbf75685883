import { Stack, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import shared from '../../ui/shared.module.css';
import type { ReachDraft, ReachProblems } from './reach-choice.ts';
import { cloudflaredWords as words } from './words.ts';

interface Props {
  readonly shown: ReachDraft;
  readonly problems: ReachProblems;
  readonly onChange: (changes: Partial<ReachDraft>) => void;
}

/** What few networks need of cloudflared. Folded until the owner opens it, or something in it is set or wrong. */
export function CloudflaredFields({ shown, problems, onChange }: Props): ReactElement {
  const [isOpen, setIsOpen] = useState(shown.options !== '' || shown.certificate !== '');
  return (
    <details
      open={isOpen || problems.options !== undefined}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>{words.title}</summary>
      <Stack mt="sm">
        <TextInput
          label={words.options}
          description={words.optionsAbout}
          classNames={{ description: shared.wrap }}
          placeholder={words.optionsPlaceholder}
          maxLength={2000}
          autoCapitalize="off"
          spellCheck={false}
          value={shown.options}
          error={problems.options}
          onChange={(event) => onChange({ options: event.currentTarget.value })}
        />
        <TextInput
          label={words.certificate}
          description={words.certificateAbout}
          placeholder={words.certificatePlaceholder}
          maxLength={4096}
          autoCapitalize="off"
          spellCheck={false}
          value={shown.certificate}
          onChange={(event) => onChange({ certificate: event.currentTarget.value })}
        />
      </Stack>
    </details>
  );
}
