import { Button, TextInput } from '@mantine/core';
import { IconPhoto } from '@tabler/icons-react';
import { useEffect, useState, type ReactElement } from 'react';
import { Foreign } from '../../ui/foreign.tsx';
import look from '../../ui/look.module.css';
import { thumbnailOf } from '../../ui/file-content.ts';
import type { NotePhoto } from './note-photo.ts';
import styles from './posts.module.css';
import { photoWords } from './words.ts';

interface Props {
  readonly photo: NotePhoto;
  readonly disabled: boolean;
  readonly onAlt: (alt: string) => void;
  readonly onRemove: () => void;
}

/** A photo of the note, with its alt text. */
export function PhotoField({ photo, disabled, onAlt, onRemove }: Props): ReactElement {
  const [picture, setPicture] = useState<string | null>(null);
  useEffect(() => {
    let gone = false;
    void thumbnailOf(photo.file).then((made) => {
      if (!gone) setPicture(made);
    });
    return () => {
      gone = true;
    };
  }, [photo.file]);
  return (
    <li className={styles.photo}>
      {picture === null ? (
        <span className={styles.thumbnail}>
          <IconPhoto size={28} stroke={1.4} aria-hidden="true" />
        </span>
      ) : (
        <img src={picture} alt="" className={styles.thumbnail} />
      )}
      <div className={look.rowBody}>
        <TextInput
          label={
            <>
              {photoWords.alt} <Foreign text={photo.name} />
            </>
          }
          description={photoWords.altHelp}
          value={photo.alt}
          maxLength={5000}
          disabled={disabled}
          onChange={(event) => onAlt(event.currentTarget.value)}
        />
      </div>
      <Button
        variant="default"
        size="xs"
        disabled={disabled}
        aria-label={photoWords.removeNamed(photo.name)}
        onClick={onRemove}
      >
        {photoWords.remove}
      </Button>
    </li>
  );
}
