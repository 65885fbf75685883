import {
  Button,
  Checkbox,
  Group,
  Modal,
  NativeSelect,
  Stack,
  TagsInput,
  Text,
  Textarea,
} from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconPhotoPlus } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { FileDrop } from '../../ui/file-drop.tsx';
import look from '../../ui/look.module.css';
import { useReturnFocus } from '../../ui/return-focus.ts';
import { ErrorNote, WarningNote } from '../../ui/states.tsx';
import { commonWords } from '../../ui/words.ts';
import { useNoteDraft, type NoteDraft } from './note-draft.tsx';
import { PhotoField } from './photo-field.tsx';
import styles from './posts.module.css';
import { composerWords, discardWords } from './words.ts';

const visibilities: { value: NoteDraft['visibility']; label: string }[] = [
  { value: 'public', label: composerWords.visibilities.public },
  { value: 'unlisted', label: composerWords.visibilities.unlisted },
  { value: 'private', label: composerWords.visibilities.private },
];

/** The form for a note. Closing it keeps the draft. */
export function Composer({ onClose }: { onClose: () => void }): ReactElement {
  useReturnFocus();
  const { begun, draft, progress, error, send, discard } = useNoteDraft();
  const [missing, setMissing] = useState(false);
  const [asking, setAsking] = useState(false);
  const busy = progress !== null;

  const submit = async () => {
    const empty = draft.content.trim() === '' && draft.photos.length === 0;
    setMissing(empty);
    if (empty || busy) return;
    const post = await send();
    if (!post) return;
    notifications.show({
      message: post.status === 'draft' ? composerWords.draftSaved : composerWords.posted,
      closeButtonProps: { 'aria-label': commonWords.close },
    });
    onClose();
  };

  return (
    <Modal
      opened
      centered
      size="lg"
      title={composerWords.title}
      closeButtonProps={{ 'aria-label': commonWords.close }}
      closeOnClickOutside={!begun}
      returnFocus={false}
      onClose={onClose}
    >
      {/* Not a form element: Enter in a small field must not post an unfinished note. */}
      <div
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void submit();
        }}
      >
        <Stack>
          <NoteFields busy={busy} missing={missing} />
          <ErrorNote error={error} doing={composerWords.failed} />
          {asking ? (
            <Group justify="flex-end" role="group" aria-label={discardWords.question}>
              <Text flex={1}>{discardWords.body}</Text>
              <Button variant="default" autoFocus onClick={() => setAsking(false)}>
                {discardWords.keep}
              </Button>
              <Button
                color="red.8"
                onClick={() => {
                  discard();
                  onClose();
                }}
              >
                {discardWords.discard}
              </Button>
            </Group>
          ) : (
            <Group justify="flex-end">
              <Text role="status" size="sm" c="dimmed" flex={1}>
                {progress}
              </Text>
              {begun && !busy && (
                <Button variant="default" onClick={() => setAsking(true)}>
                  {discardWords.open}
                </Button>
              )}
              <Button color="amber.5" loading={busy} onClick={() => void submit()}>
                {draft.status === 'draft' ? composerWords.saveDraft : composerWords.post}
              </Button>
            </Group>
          )}
        </Stack>
      </div>
    </Modal>
  );
}

function NoteFields({ busy, missing }: { busy: boolean; missing: boolean }): ReactElement {
  const { draft, change, addFiles, changePhoto, removePhoto } = useNoteDraft();
  const known = useAnswer('settings.get', {}).data?.micropub.categories ?? [];
  const [refused, setRefused] = useState<string[]>([]);
  return (
    <FileDrop
      accept="image/*"
      label={composerWords.photos}
      disabled={busy}
      className={styles.drop}
      overClassName={styles.over}
      onFiles={(files) => setRefused(addFiles(files))}
    >
      {(choose) => (
        <Stack>
          <Textarea
            label={composerWords.text}
            placeholder={composerWords.textExample}
            rows={6}
            resize="vertical"
            dir="auto"
            maxLength={200_000}
            data-autofocus
            readOnly={busy}
            value={draft.content}
            error={missing ? composerWords.missing : undefined}
            onChange={(event) => change({ content: event.currentTarget.value })}
          />
          {draft.photos.length > 0 && (
            <Stack component="ul" gap="sm" className={look.list} aria-label={composerWords.photoList}>
              {draft.photos.map((photo) => (
                <PhotoField
                  key={photo.id}
                  photo={photo}
                  disabled={busy}
                  onAlt={(alt) => changePhoto(photo.id, { alt })}
                  onRemove={() => removePhoto(photo)}
                />
              ))}
            </Stack>
          )}
          {refused.length > 0 && (
            <div role="alert">
              <WarningNote>
                {refused.map((words) => (
                  <Text key={words}>{words}</Text>
                ))}
              </WarningNote>
            </div>
          )}
          <Group>
            <Button
              variant="default"
              size="xs"
              disabled={busy}
              leftSection={<IconPhotoPlus size={16} aria-hidden="true" />}
              onClick={choose}
            >
              {composerWords.addPhotos}
            </Button>
            <Text size="sm" c="dimmed">
              {composerWords.dropPhotos}
            </Text>
          </Group>
          <TagsInput
            label={composerWords.categories}
            placeholder={draft.categories.length === 0 ? composerWords.categoriesHelp : ''}
            data={known}
            value={draft.categories}
            maxTags={100}
            maxLength={200}
            disabled={busy}
            onChange={(categories) => change({ categories })}
          />
          <Group align="flex-end">
            <NativeSelect
              label={composerWords.readers}
              data={visibilities}
              value={draft.visibility}
              disabled={busy}
              onChange={(event) =>
                change({
                  visibility:
                    visibilities.find(({ value }) => value === event.currentTarget.value)?.value ?? 'public',
                })
              }
            />
            <Checkbox
              label={composerWords.asDraft}
              mb={8}
              disabled={busy}
              checked={draft.status === 'draft'}
              onChange={(event) => change({ status: event.currentTarget.checked ? 'draft' : 'published' })}
            />
          </Group>
        </Stack>
      )}
    </FileDrop>
  );
}
