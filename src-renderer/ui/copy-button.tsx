import { Button } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import { copyText } from './clipboard.ts';

interface Props {
  readonly value: string;
  /** What is copied, for the label: "the address". */
  readonly what: string;
}

const words = { ready: 'Copy', copied: 'Copied', failed: 'Not copied: select it and copy by hand' };

/** Copies a text, and says whether it did. */
export function CopyButton({ value, what }: Props): ReactElement {
  const [state, setState] = useState<keyof typeof words>('ready');
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
      aria-label={state === 'ready' ? `Copy ${what}` : `${words[state]}: ${what}`}
      onClick={() => void copy()}
      onBlur={() => setState('ready')}
    >
      <span aria-live="polite">{words[state]}</span>
    </Button>
  );
}
