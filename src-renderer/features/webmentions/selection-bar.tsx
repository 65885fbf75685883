import { Button, Checkbox, Group, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { SteadyButton } from '../../ui/steady-button.tsx';
import { type BlockWhat, hasAuthor, hasSite } from './block.tsx';
import { canBe, type Moderation } from './moderation.tsx';
import type { Selection } from './selection.ts';
import styles from './webmentions.module.css';
import { decisionButtons, listWords, openedWords } from './words.ts';

interface Props {
  readonly selection: Selection;
  /** How many mentions the list shows so far. */
  readonly shown: number;
  readonly moderation: Moderation;
  readonly onBlock: (mentions: readonly MentionRecord[], what: BlockWhat) => void;
}

const decisions = ['approved', 'hidden', 'deleted', 'restored'] as const;

/**
 * Selects all mentions that are shown, and does the same with all that are selected. It always takes its place above the
 * list, because rows must not move when the first one is selected.
 */
export function SelectionBar({ selection, shown, moderation, onBlock }: Props): ReactElement {
  const { chosen, selectAll, clear } = selection;
  const some = chosen.length > 0;
  // Approving counts for what was in sight: a mention that was read again makes the button wait again.
  const newest = chosen.reduce((latest, { parsed }) => (parsed > latest ? parsed : latest), '');
  return (
    <div className={styles.selection} role="group" aria-label={listWords.selection}>
      <Checkbox
        color="var(--porchlight-tick)"
        label={listWords.selectAll(shown)}
        checked={some && chosen.length === shown}
        indeterminate={some && chosen.length < shown}
        onChange={() => (chosen.length === shown ? clear() : selectAll())}
      />
      <Text size="sm" role="status">
        {some && listWords.selected(chosen.length)}
      </Text>
      {some && (
        <Group gap="xs">
          {decisions
            .filter((decision) => chosen.some((mention) => canBe(mention, decision)))
            .map((decision) => (
              <SteadyButton
                key={`${decision} ${newest}`}
                size="compact-sm"
                variant="default"
                onClick={() => moderation.decide(chosen, decision)}
              >
                {decisionButtons[decision]}
              </SteadyButton>
            ))}
          {chosen.some(hasAuthor) && (
            <Button size="compact-sm" variant="default" onClick={() => onBlock(chosen, 'people')}>
              {openedWords.blockPeople}
            </Button>
          )}
          {chosen.some(hasSite) && (
            <Button size="compact-sm" variant="default" onClick={() => onBlock(chosen, 'sites')}>
              {openedWords.blockSites}
            </Button>
          )}
          <Button size="compact-sm" variant="subtle" onClick={clear}>
            {listWords.clear}
          </Button>
        </Group>
      )}
    </div>
  );
}
