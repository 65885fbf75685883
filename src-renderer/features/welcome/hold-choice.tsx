import { Checkbox } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { useAnswer } from '../../client/queries.ts';
import { holdChoiceWords as words } from './words.ts';

type Hold = Settings['webmention']['hold'];

/**
 * Asks whether mentions by new people wait for approval. Returns the question, and the setting to save; undefined if it
 * stays as it is. Yes is preselected, unless mentions have been shown without approval: then the owner chose that.
 */
export function useHoldChoice(): { question: ReactElement; change: Hold | undefined } {
  const hold = useAnswer('settings.get', {}).data?.webmention.hold ?? 'nothing';
  const hasMentions = (useAnswer('webmentions.counts', {}).data ?? []).length > 0;
  const [chosen, setChosen] = useState<boolean | null>(null);
  const isHeld = hold !== 'nothing';
  const shouldHold = chosen ?? (isHeld || !hasMentions);
  const question = (
    <Checkbox
      checked={shouldHold}
      label={words.label}
      description={words.about}
      onChange={(event) => setChosen(event.currentTarget.checked)}
    />
  );
  if (shouldHold === isHeld) return { question, change: undefined };
  return { question, change: shouldHold ? 'strangers' : 'nothing' };
}
