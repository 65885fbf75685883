import { Button, Chip, Group, Text, VisuallyHidden } from '@mantine/core';
import type { ReactElement } from 'react';
import { isSendableTarget } from '../../../src-main/contract/posts.ts';
import { useAnswer, useClient } from '../../client/queries.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { MoreMenu } from '../../ui/more-menu.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { useNow } from '../../ui/time.ts';
import { hasField, withoutAlt } from './form.ts';
import type { FieldsProps } from './kinds.tsx';
import { shortTime } from './local-time.ts';
import type { AskedField } from './missing.ts';
import { isOnMac, wordCount } from './text-editing.ts';
import type { TextRef } from './text-editing.ts';
import { Tools } from './tools.tsx';
import type { Writing } from './writing.ts';
import { askedWords, barWords, fieldWords, stateLine } from './words.ts';
import styles from './write.module.css';

interface Props extends FieldsProps {
  readonly field: TextRef;
  /** The id of the details. */
  readonly details: string;
  readonly shown: { readonly details: boolean; readonly preview: boolean };
  readonly onShow: (part: 'details' | 'preview', shown: boolean) => void;
  /** Shows the whole editor in the small window; absent if it is shown. */
  readonly onMore: (() => void) | undefined;
  readonly onPublish: () => void;
  readonly onSaveDraft: () => void;
  readonly onDiscard: () => void;
  readonly onBookmarklets: () => void;
}

/** The tools for the text, where the post goes, what is saved, and the buttons that publish. */
export function WritingBar(props: Props): ReactElement {
  const { session, writing, field, details, shown, onShow, onMore } = props;
  const { form, post, isEdited, busy, error, missing, save } = writing;
  const { home } = useClient();
  const now = useNow();
  const isDraft = post === null || post.status === 'draft';
  const isLater = Date.parse(form.published) > now;
  const isBlocked = save.name === 'conflict' || save.name === 'gone';
  const [asked] = Object.keys(missing) as AskedField[];
  const isSaid = save.name === 'failed' && asked !== undefined && save.reason === missing[asked];
  const isSmall = onMore !== undefined;
  const toggle = (part: 'details' | 'preview') => () => onShow(part, !shown[part]);
  return (
    <div className={styles.bar} role="group" aria-label={barWords.name}>
      <ErrorNote error={error} doing={barWords.failed[isDraft ? 'draft' : 'published']} />
      {asked !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {barWords.missing(askedWords[asked])} {!isSaid && missing[asked]}
        </Text>
      )}
      {!isSmall && <Targets session={session} writing={writing} />}
      <div className={styles.barRow}>
        <Tools session={session} writing={writing} field={field} small={isSmall} />
        <Facts writing={writing} />
        <Group gap={6} ms="auto" justify="flex-end">
          {isSmall ? (
            <Button variant="subtle" color="gray" onClick={onMore}>
              {barWords.more}
            </Button>
          ) : (
            <>
              <Button
                variant={shown.preview ? 'light' : 'subtle'}
                color="gray"
                px="xs"
                aria-pressed={shown.preview}
                onClick={toggle('preview')}
              >
                {barWords.preview}
              </Button>
              <Button
                variant={shown.details ? 'light' : 'subtle'}
                color="gray"
                px="xs"
                aria-expanded={shown.details}
                aria-controls={shown.details ? details : undefined}
                onClick={toggle('details')}
              >
                {barWords.details}
              </Button>
              <MoreMenu
                items={[
                  isDraft && {
                    label: barWords.saveDraft,
                    disabled: busy || isBlocked,
                    onClick: props.onSaveDraft,
                  },
                  // Only the desktop app opens Porchlight's links.
                  home === 'desktop' && { label: barWords.bookmarklets, onClick: props.onBookmarklets },
                  post !== null &&
                    (isDraft || isEdited) && {
                      label: barWords.discard,
                      disabled: busy,
                      danger: true,
                      onClick: props.onDiscard,
                    },
                ]}
              />
            </>
          )}
          <Button
            color="amber.5"
            loading={busy}
            disabled={isBlocked}
            title={barWords.shortcut(isOnMac())}
            onClick={props.onPublish}
          >
            {!isDraft ? barWords.update : isLater ? barWords.schedule : barWords.publish}
          </Button>
        </Group>
      </div>
    </div>
  );
}

/** How long the text is, which pictures lack an alt text, and what is saved. */
function Facts({ writing }: { writing: Writing }): ReactElement {
  const { form } = writing;
  const words = hasField(form, 'text') ? wordCount(form) : 0;
  const bare = withoutAlt(form);
  const isSaid = words + bare > 0 || writing.save.name !== 'idle';
  return (
    <div className={styles.facts} data-said={isSaid || undefined}>
      {words > 0 && <span>{barWords.words(words)}</span>}
      {bare > 0 && <span className={styles.bare}>{barWords.withoutAlt(bare)}</span>}
      <StateLine writing={writing} />
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
    <div>
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
