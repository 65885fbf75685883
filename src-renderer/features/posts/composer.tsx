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
import { useNoteDraft, type NoteDraft } from './note-draft.tsx';
import { PhotoField } from './photo-field.tsx';
import styles from './posts.module.css';

const visibilities: { value: NoteDraft['visibility']; label: string }[] = [
  { value: 'public', label: 'Everybody, on your site' },
  { value: 'unlisted', label: 'Everybody who has its address' },
  { value: 'private', label: 'Only you' },
];

/** Where a note is written. Closing it keeps what was written. */
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
      message: post.status === 'draft' ? 'Your draft is kept.' : 'Your note is posted.',
      closeButtonProps: { 'aria-label': 'Close' },
    });
    onClose();
  };

  return (
    <Modal
      opened
      centered
      size="lg"
      title="New note"
      closeButtonProps={{ 'aria-label': 'Close' }}
      closeOnClickOutside={!begun}
      returnFocus={false}
      onClose={onClose}
    >
      {/* No form: Enter in a small field must not post what is not finished. */}
      <div
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void submit();
        }}
      >
        <Stack>
          <NoteFields busy={busy} missing={missing} />
          <ErrorNote error={error} doing="The note was not posted. Everything is still here." />
          {asking ? (
            <Group justify="flex-end" role="group" aria-label="Throw this note away?">
              <Text flex={1}>Throw this note away? That can’t be undone.</Text>
              <Button variant="default" autoFocus onClick={() => setAsking(false)}>
                Keep writing
              </Button>
              <Button
                color="red.8"
                onClick={() => {
                  discard();
                  onClose();
                }}
              >
                Throw away
              </Button>
            </Group>
          ) : (
            <Group justify="flex-end">
              <Text role="status" size="sm" c="dimmed" flex={1}>
                {progress}
              </Text>
              {begun && !busy && (
                <Button variant="default" onClick={() => setAsking(true)}>
                  Throw away…
                </Button>
              )}
              <Button color="amber.5" loading={busy} onClick={() => void submit()}>
                {draft.status === 'draft' ? 'Keep the draft' : 'Post'}
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
      label="Photos"
      disabled={busy}
      className={styles.drop}
      overClassName={styles.over}
      onFiles={(files) => setRefused(addFiles(files))}
    >
      {(choose) => (
        <Stack>
          <Textarea
            label="Your note"
            placeholder="What is on your mind?"
            rows={6}
            resize="vertical"
            dir="auto"
            maxLength={200_000}
            data-autofocus
            readOnly={busy}
            value={draft.content}
            error={missing ? 'Write something, or add a photo.' : undefined}
            onChange={(event) => change({ content: event.currentTarget.value })}
          />
          {draft.photos.length > 0 && (
            <Stack component="ul" gap="sm" className={look.list} aria-label="Photos of this note">
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
              Add photos
            </Button>
            <Text size="sm" c="dimmed">
              Or drop or paste them here.
            </Text>
          </Group>
          <TagsInput
            label="Categories"
            placeholder={draft.categories.length === 0 ? 'Type one and press Enter' : ''}
            data={known}
            value={draft.categories}
            maxTags={100}
            maxLength={200}
            disabled={busy}
            onChange={(categories) => change({ categories })}
          />
          <Group align="flex-end">
            <NativeSelect
              label="Who can read it"
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
              label="Keep as draft"
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
