import { Button, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { WarningNote } from '../../ui/states.tsx';
import { SteadyButton } from '../../ui/steady-button.tsx';
import type { FieldsProps } from './kinds.tsx';
import { textOf } from './form.ts';
import { shortTime } from './local-time.ts';
import { barWords, conflictWords, editsWords, goneWords } from './words.ts';
import styles from './write.module.css';

/** Shows what the owner should know, and asks what the owner has to decide. */
export function Notes({
  session,
  writing,
  onDiscard,
}: FieldsProps & { onDiscard: () => void }): ReactElement {
  const { save, foundEdits, isEdited } = writing;
  return (
    <>
      {foundEdits !== null && isEdited && (
        <div role="status">
          <WarningNote>
            <Text>{editsWords.found(shortTime(Date.parse(foundEdits)))}</Text>
            <Button variant="default" size="xs" mt={6} onClick={onDiscard}>
              {barWords.discardEdits}
            </Button>
          </WarningNote>
        </div>
      )}
      {save.name === 'gone' && (
        <div role="alert">
          <WarningNote>
            <Text fw={600}>{goneWords.title}</Text>
            <Text>{goneWords.about}</Text>
            <Button variant="default" size="xs" mt={6} onClick={() => void session.rescue()}>
              {save.canRestore ? goneWords.restore : goneWords.asDraft}
            </Button>
          </WarningNote>
        </div>
      )}
      {save.name === 'conflict' && <Conflict session={session} writing={writing} />}
    </>
  );
}

function Conflict({ session, writing }: FieldsProps): ReactElement | null {
  const { save, form, busy } = writing;
  if (save.name !== 'conflict') return null;
  const { other, edits } = save;
  const isKept = other.status === 'draft' || edits !== null;
  const mine = textOf(form, 'draft');
  return (
    <section role="alert" aria-label={conflictWords.title} className={`${shared.card} ${shared.waiting}`}>
      <Title order={2}>{conflictWords.title}</Title>
      <Text size="sm" mt={4}>
        {conflictWords.about} {isKept ? conflictWords.keptDraft : conflictWords.keptHistory}
      </Text>
      <div className={styles.versions}>
        <Version
          title={conflictWords.mine}
          post={mine}
          copied={conflictWords.mineText}
          action={conflictWords.keepMine}
          busy={busy}
          onChoose={() => void session.settle('mine')}
        />
        <Version
          title={conflictWords.other}
          post={edits ?? other.text}
          copied={conflictWords.otherText}
          action={conflictWords.useOther}
          busy={busy}
          onChoose={() => void session.settle('other')}
        />
      </div>
    </section>
  );
}

interface VersionProps {
  readonly title: string;
  readonly post: { readonly text: string; readonly name?: string };
  readonly copied: string;
  readonly action: string;
  readonly busy: boolean;
  readonly onChoose: () => void;
}

function Version({ title, post, copied, action, busy, onChoose }: VersionProps): ReactElement {
  const { text, name = '' } = post;
  return (
    <Stack gap="xs">
      <Title order={3}>{title}</Title>
      {name !== '' && (
        <Text fw={600}>
          <Foreign text={name} />
        </Text>
      )}
      <div tabIndex={0} role="region" aria-label={title} dir="auto" className={styles.version}>
        {text.trim() === '' ? conflictWords.noText : text}
      </div>
      <Group gap="xs">
        <SteadyButton variant="default" size="xs" loading={busy} onClick={onChoose}>
          {action}
        </SteadyButton>
        <CopyButton value={text} what={copied} named />
      </Group>
    </Stack>
  );
}
