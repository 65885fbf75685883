import { Button, Progress, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useRef, useState, type ReactElement } from 'react';
import { flushSync } from 'react-dom';
import shared from '../../ui/shared.module.css';
import { Empty, WarningNote } from '../../ui/states.tsx';
import { isCover, listedPhotos, type FormPhoto } from './form.ts';
import { PhotoRow } from './photo-row.tsx';
import { FileInput } from './tools.tsx';
import type { PictureSession } from './writing.ts';
import { photoWords } from './words.ts';

interface Props {
  readonly session: PictureSession;
  readonly writing: ReturnType<PictureSession['snapshot']>;
  /** Inserts an uploaded photo into the text; absent if the text takes none. */
  readonly onInsert?: ((id: string) => void) | undefined;
}

/** The photos of the post: alt text and order. A photo that has no pictures yet asks for them. */
export function PhotoList({ session, writing, onInsert }: Props): ReactElement {
  const { form, uploads, refused, missing } = writing;
  const rows = useRef<HTMLDivElement>(null);
  /** For screen readers: what has happened to the photos. */
  const [said, setSaid] = useState('');
  const [wasUploading, setWasUploading] = useState(false);
  const photos = listedPhotos(form);
  const count = photos.length;
  if (wasUploading !== (uploads !== null)) {
    setWasUploading(uploads !== null);
    setSaid(uploads === null ? photoWords.uploaded(count) : '');
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
    const buttons = rows.current?.querySelectorAll<HTMLElement>('[data-removes]') ?? [];
    const next = buttons[Math.max(0, Math.min(index, count - 2))];
    (next ?? askedField('photos') ?? askedField('text'))?.focus();
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
      {form.kind === 'photo' && count === 0 && <FirstPhotos onFiles={session.addFiles} />}
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

const askedField = (name: string) => document.querySelector<HTMLElement>(`[data-asked="${name}"]`);

/** Asks for the pictures of a photo. */
function FirstPhotos({ onFiles }: { onFiles: (files: readonly File[]) => void }): ReactElement {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <Empty
      drawing="picture"
      step={
        <>
          <FileInput chooser={chooser} label={photoWords.photos} onFiles={onFiles} />
          <Button
            variant="default"
            aria-describedby="photos-missing"
            data-asked="photos"
            onClick={() => chooser.current?.click()}
          >
            {photoWords.add}
          </Button>
        </>
      }
    >
      {photoWords.drop}
    </Empty>
  );
}
