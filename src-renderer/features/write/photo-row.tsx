import { ActionIcon, Button, Group, Text, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconPhoto, IconTrash, type Icon } from '../../ui/icons.ts';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { flushSync } from 'react-dom';
import { useClient } from '../../client/queries.ts';
import { thumbnailOf } from '../../ui/file-content.ts';
import { Foreign } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import type { FormPhoto } from './form.ts';
import type { PictureSession } from './writing.ts';
import { photoWords } from './words.ts';
import styles from './write.module.css';

/** The type of a dragged photo of the form, which no other program accepts. */
const dragType = 'application/x-porchlight-photo';

interface Props {
  readonly photo: FormPhoto;
  readonly index: number;
  readonly count: number;
  readonly session: PictureSession;
  /** Moves this photo to another place. */
  readonly onMove: (to: number) => void;
  /** Hears which photo was dropped on this one. */
  readonly onDropped: (id: string) => void;
  readonly onRemove: () => void;
  readonly onInsert?: ((id: string) => void) | undefined;
  /** Whether the photo is a cover of the post, or can become one. */
  readonly cover: 'is' | 'can be' | 'none';
}

/** A photo of the post, with its alt text and its place. */
export function PhotoRow(props: Props): ReactElement {
  const { photo, index, count, session, onMove, onDropped, onRemove, onInsert, cover } = props;
  const { id, name, alt, url, failure } = photo;
  const row = useRef<HTMLLIElement>(null);
  const [isOver, setIsOver] = useState(false);
  const move = (to: number, button: HTMLElement) => {
    flushSync(() => onMove(to));
    // A browser takes the focus from an element that moves.
    button.focus();
    row.current?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <li
      ref={row}
      className={isOver ? `${styles.photo} ${styles.over}` : styles.photo}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(dragType)) return;
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        setIsOver(false);
        const dragged = event.dataTransfer.getData(dragType);
        if (dragged === '') return;
        event.preventDefault();
        onDropped(dragged);
      }}
    >
      <span
        className={styles.handle}
        draggable
        title={photoWords.drag}
        onDragStart={(event) => {
          event.dataTransfer.setData(dragType, id);
          event.dataTransfer.effectAllowed = 'move';
          if (row.current) event.dataTransfer.setDragImage(row.current, 20, 20);
        }}
      >
        <Thumbnail photo={photo} />
      </span>
      <div className={shared.rowBody}>
        <TextInput
          label={
            <>
              {photoWords.alt} <Foreign text={name} />
            </>
          }
          placeholder={photoWords.altHelp}
          value={alt}
          maxLength={5000}
          spellCheck
          dir="auto"
          onChange={(event) => session.changePhoto(id, { alt: event.currentTarget.value })}
        />
        {failure !== null && (
          <div role="alert">
            <Text size="sm" c="var(--mantine-color-error)">
              {photoWords.failed} <Foreign text={failure} />
            </Text>
            <Button
              variant="default"
              size="compact-xs"
              aria-label={photoWords.retryNamed(name)}
              onClick={() => session.retryPhoto(id)}
            >
              {photoWords.retry}
            </Button>
          </div>
        )}
        {url === null && failure === null && (
          <Text size="sm" c="dimmed">
            {photoWords.waits}
          </Text>
        )}
        {url !== null && <Uses {...{ photo, session, cover, onInsert }} />}
      </div>
      <Group gap={4} wrap="nowrap" className={styles.photoActions}>
        {count > 1 && (
          <>
            <MoveButton
              label={photoWords.earlier(name)}
              Icon={IconArrowUp}
              to={index - 1}
              {...{ count, move }}
            />
            <MoveButton
              label={photoWords.later(name)}
              Icon={IconArrowDown}
              to={index + 1}
              {...{ count, move }}
            />
          </>
        )}
        <ActionIcon
          variant="default"
          aria-label={photoWords.removeNamed(name)}
          data-removes
          onClick={onRemove}
        >
          <IconTrash size={16} aria-hidden="true" />
        </ActionIcon>
      </Group>
    </li>
  );
}

/** Makes an uploaded photo the cover, or moves it into the text. */
function Uses({
  photo: { id, name },
  session,
  cover,
  onInsert,
}: Pick<Props, 'photo' | 'session' | 'cover' | 'onInsert'>): ReactElement | null {
  if (cover === 'none' && !onInsert) return null;
  return (
    <Group gap="xs" mt={4}>
      {cover === 'is' && <Text size="sm">{photoWords.cover}</Text>}
      {cover === 'can be' && (
        <Button
          variant="default"
          size="compact-xs"
          aria-label={photoWords.asCoverNamed(name)}
          onClick={() => session.changePhoto(id, { property: 'featured' })}
        >
          {photoWords.asCover}
        </Button>
      )}
      {onInsert && (
        <Button
          variant="default"
          size="compact-xs"
          aria-label={photoWords.insertNamed(name)}
          onClick={() => onInsert(id)}
        >
          {photoWords.insert}
        </Button>
      )}
    </Group>
  );
}

interface MoveProps {
  readonly label: string;
  readonly Icon: Icon;
  readonly to: number;
  readonly count: number;
  readonly move: (to: number, button: HTMLElement) => void;
}

/** Moves a photo without dragging it. */
function MoveButton({ label, Icon, to, count, move }: MoveProps): ReactElement {
  return (
    <ActionIcon
      variant="default"
      aria-label={label}
      aria-disabled={to < 0 || to === count ? true : undefined}
      className={styles.moveButton}
      onClick={(event) => move(to, event.currentTarget)}
    >
      <Icon size={16} aria-hidden="true" />
    </ActionIcon>
  );
}

function Thumbnail({ photo: { file, url } }: { photo: FormPhoto }): ReactElement {
  const client = useClient();
  const [picture, setPicture] = useState<string | null>(null);
  // An upload gives a new photo an address, but no other picture.
  const address = file ? '' : (url ?? '');
  useEffect(() => {
    let isGone = false;
    const made = file
      ? thumbnailOf(file)
      : client
          .call('media.thumbnail', { url: address })
          .then(({ dataUrl }) => dataUrl)
          .catch(() => null);
    void made.then((found) => {
      if (!isGone) setPicture(found);
    });
    return () => {
      isGone = true;
    };
  }, [client, file, address]);
  return picture?.startsWith('data:image/') ? (
    <img src={picture} alt="" className={styles.thumbnail} draggable={false} />
  ) : (
    <span className={styles.thumbnail}>
      <IconPhoto size={28} stroke={1.4} aria-hidden="true" />
    </span>
  );
}
