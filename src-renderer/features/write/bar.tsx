import { Button, Chip, Group, Text, VisuallyHidden } from '@mantine/core';
import type { ReactElement } from 'react';
import { isSendableTarget } from '../../../src-main/contract/posts.ts';
import { useAnswer } from '../../client/queries.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { useNow } from '../../ui/time.ts';
import type { FieldsProps } from './fields.tsx';
import { withoutAlt } from './form.ts';
import { shortTime } from './local-time.ts';
import type { AskedField } from './missing.ts';
import type { Writing } from './writing.ts';
import { askedWords, barWords, fieldWords, stateLine } from './words.ts';
import styles from './write.module.css';

interface Props extends FieldsProps {
  readonly onPublish: () => void;
  readonly onSaveDraft: () => void;
  readonly onDiscard: () => void;
}

/** Where the post goes, what is saved, and the buttons that publish. */
export function WritingBar({ session, writing, onPublish, onSaveDraft, onDiscard }: Props): ReactElement {
  const { form, post, isEdited, busy, error, missing, save } = writing;
  const now = useNow();
  const isDraft = post === null || post.status === 'draft';
  const isLater = Date.parse(form.published) > now;
  const isBlocked = save.name === 'conflict' || save.name === 'gone';
  const [asked] = Object.keys(missing) as AskedField[];
  const bare = withoutAlt(form);
  const isSaid = save.name === 'failed' && asked !== undefined && save.reason === missing[asked];
  return (
    <div className={styles.bar} role="group" aria-label={barWords.name}>
      <ErrorNote error={error} doing={barWords.failed[isDraft ? 'draft' : 'published']} />
      {asked !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {barWords.missing(askedWords[asked])} {!isSaid && missing[asked]}
        </Text>
      )}
      <Targets session={session} writing={writing} />
      <Group justify="flex-end" gap="sm">
        <StateLine writing={writing} />
        {bare > 0 && <Text size="sm">{barWords.withoutAlt(bare)}</Text>}
        {post !== null && (isDraft || isEdited) && (
          <Button variant="default" disabled={busy} onClick={onDiscard}>
            {barWords.discard}
          </Button>
        )}
        {isDraft && (
          <Button variant="default" disabled={busy || isBlocked} onClick={onSaveDraft}>
            {barWords.saveDraft}
          </Button>
        )}
        <Button
          color="amber.5"
          loading={busy}
          disabled={isBlocked}
          title={barWords.shortcut(navigator.platform.startsWith('Mac'))}
          onClick={onPublish}
        >
          {!isDraft ? barWords.update : isLater ? barWords.schedule : barWords.publish}
        </Button>
      </Group>
    </div>
  );
}

/** The services that cross-post the post. Renders nothing if the owner has none. */
function Targets({ session, writing: { form } }: FieldsProps): ReactElement | null {
  const all = useAnswer('settings.get', {}).data?.micropub.syndicateTo ?? [];
  // All other targets are only offered to apps.
  const targets = all.filter(({ uid }) => isSendableTarget(uid));
  if (targets.length === 0) return null;
  return (
    <Group gap={6} role="group" aria-label={fieldWords.crossPost}>
      <Text size="sm" aria-hidden="true">
        {fieldWords.crossPost}
      </Text>
      <Chip.Group
        multiple
        value={[...form.syndicateTo]}
        onChange={(syndicateTo) => session.change({ syndicateTo })}
      >
        {targets.map(({ uid, name }) => (
          <Chip
            key={uid}
            value={uid}
            size="xs"
            classNames={{ input: styles.kindInput, label: styles.kindLabel }}
          >
            <Foreign text={name} />
          </Chip>
        ))}
      </Chip.Group>
      {form.visibility !== 'public' && (
        <Text size="sm" c="dimmed">
          {fieldWords.crossPostPublic}
        </Text>
      )}
    </Group>
  );
}

/** What is on disk. Screen readers hear only what matters: the first save, and failures. */
function StateLine({ writing: { save, post } }: { writing: Writing }): ReactElement {
  const isDraft = post === null || post.status === 'draft';
  const spoken = save.name === 'failed' || save.name === 'conflict' || save.name === 'gone';
  return (
    <div className={styles.state}>
      <Text size="sm" c={spoken ? 'var(--mantine-color-error)' : 'dimmed'} data-testid="save-state">
        {save.name === 'waiting' && stateLine.waiting}
        {save.name === 'saving' && stateLine.saving}
        {save.name === 'saved' &&
          (isDraft ? stateLine.draft(shortTime(save.at)) : stateLine.edits(shortTime(save.at)))}
        {save.name === 'failed' && (
          <>
            {stateLine.failed} <Foreign text={save.reason} /> {save.retries && stateLine.retries}
          </>
        )}
        {save.name === 'conflict' && stateLine.conflict}
        {save.name === 'gone' && stateLine.gone}
      </Text>
      <VisuallyHidden role="status">
        {save.name === 'failed' && `${stateLine.failed} ${save.reason}`}
        {save.name === 'conflict' && stateLine.conflict}
        {save.name === 'gone' && stateLine.gone}
        {(save.name === 'saved' || save.name === 'saving' || save.name === 'waiting') &&
          post !== null &&
          stateLine.spoken}
      </VisuallyHidden>
    </div>
  );
}
