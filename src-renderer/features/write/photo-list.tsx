import { Button, Group, Progress, Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconPhotoPlus } from '../../ui/icons.ts';
import { useRef, useState, type ReactElement } from 'react';
import { flushSync } from 'react-dom';
import shared from '../../ui/shared.module.css';
import { WarningNote } from '../../ui/states.tsx';
import { isCover, listedPhotos, type FormPhoto } from './form.ts';
import { PhotoRow } from './photo-row.tsx';
import type { Writing, WritingSession } from './writing.ts';
import { photoWords } from './words.ts';

interface Props {
  readonly session: WritingSession;
  readonly writing: Writing;
  /** Inserts an uploaded photo into the text; absent if the text takes none. */
  readonly onInsert?: ((id: string) => void) | undefined;
}

/** The photos of the post: adding, alt text, order. */
export function PhotoList({ session, writing, onInsert }: Props): ReactElement {
  const { form, uploads, refused, missing } = writing;
  const input = useRef<HTMLInputElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  /** For screen readers: what has happened to the photos. */
  const [said, setSaid] = useState('');
  const [wasUploading, setWasUploading] = useState(false);
  const photos = listedPhotos(form);
  const count = photos.length;
  const button = form.kind === 'article' ? photoWords.addCover : photoWords.add;
  if (wasUploading !== (uploads !== null)) {
    setWasUploading(uploads !== null);
    setSaid(uploads === null ? photoWords.uploaded(count, button) : '');
  }
  const move = (id: string, to: number) => {
    const photo = photos.find((one) => one.id === id);
    if (photo === undefined || to < 0 || to >= count) return;
    session.movePhoto(id, to);
    setSaid(photoWords.moved(photo.name, to + 1, count));
  };
  const remove = ({ id, name }: FormPhoto, index: number) => {
    flushSync(() => session.removePhoto(id));
    setSaid(photoWords.removed(name, count - 1));
    // The focus would be lost with the row.
    const buttons = rows.current?.querySelectorAll<HTMLElement>('[data-removes], [data-asked="photos"]');
    buttons?.[Math.max(0, Math.min(index, count - 2))]?.focus();
  };
  return (
    <Stack gap="sm" ref={rows}>
      {count > 0 && (
        <ol className={shared.list} aria-label={photoWords.list}>
          {photos.map((photo, index) => (
            <PhotoRow
              key={photo.id}
              {...{ photo, index, count, session, onInsert }}
              cover={form.kind === 'article' ? (isCover(photo, form) ? 'is' : 'can be') : 'none'}
              onMove={(to) => move(photo.id, to)}
              onDropped={(id) => move(id, index)}
              onRemove={() => remove(photo, index)}
            />
          ))}
        </ol>
      )}
      <VisuallyHidden role="status">{said}</VisuallyHidden>
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
        <input
          ref={input}
          type="file"
          hidden
          multiple
          accept="image/*"
          aria-label={photoWords.photos}
          onChange={(event) => {
            session.addFiles([...(event.currentTarget.files ?? [])]);
            // Without this, choosing a removed file again would fire no event.
            event.currentTarget.value = '';
          }}
        />
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPhotoPlus size={16} aria-hidden="true" />}
          aria-describedby="photos-missing"
          data-asked="photos"
          onClick={() => input.current?.click()}
        >
          {button}
        </Button>
        <Text size="sm" c="dimmed">
          {form.kind === 'article' ? photoWords.dropCover : photoWords.drop}
        </Text>
      </Group>
      {missing.photos !== undefined && (
        <Text id="photos-missing" size="sm" c="var(--mantine-color-error)">
          {missing.photos}
        </Text>
      )}
      <div role="status">
        {uploads && (
          <>
            <Text size="sm">{photoWords.uploading(uploads.done + 1, uploads.total)}</Text>
            <Progress
              aria-label={photoWords.uploading(uploads.done + 1, uploads.total)}
              value={(100 * uploads.done) / uploads.total}
              size="sm"
            />
          </>
        )}
      </div>
    </Stack>
  );
}
