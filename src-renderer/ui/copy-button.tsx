import { Button, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconCopy } from './icons.ts';
import { useState, type ReactElement } from 'react';
import { copyText } from './clipboard.ts';
import { copyWords } from './words.ts';

interface Props {
  readonly value: string;
  /** What is copied, for the label: "the address". */
  readonly what: string;
  /** Shows on the button what is copied, where nothing beside it does. */
  readonly named?: boolean;
}

/** Copies a text, and shows whether that worked. */
export function CopyButton({ value, what, named = false }: Props): ReactElement {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready');
  const copy = async () => setState((await copyText(value)) ? 'copied' : 'failed');
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={
        state === 'copied' ? (
          <IconCheck size={14} aria-hidden="true" />
        ) : (
          <IconCopy size={14} aria-hidden="true" />
        )
      }
      aria-label={state === 'ready' ? copyWords.name(what) : copyWords.outcome(copyWords[state], what)}
      onClick={() => void copy()}
      onBlur={() => setState('ready')}
    >
      {named && state === 'ready' ? copyWords.name(what) : copyWords[state]}
      <VisuallyHidden role="status">
        {state !== 'ready' && copyWords.outcome(copyWords[state], what)}
      </VisuallyHidden>
    </Button>
  );
}
