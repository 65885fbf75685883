import { ActionIcon, Group } from '@mantine/core';
import { useRef, useState, type ReactElement, type ReactNode } from 'react';
import { IconBold, IconItalic, IconLink, IconPhotoPlus, IconPhotoSearch } from '../../ui/icons.ts';
import { hasField, listedPhotos } from './form.ts';
import { MediaPicker } from './media-picker.tsx';
import { beginMarkdown, formatText, type Formatting, isOnMac, type TextRef } from './text-editing.ts';
import { takesPictures } from './text-field.tsx';
import { insertPictures, pictureMarkdown } from './text-insertion.ts';
import type { PictureSession, Writing } from './writing.ts';
import { photoWords, toolWords } from './words.ts';

const icon = { size: 18, 'aria-hidden': true } as const;
const formats = [
  ['bold', IconBold],
  ['italic', IconItalic],
  ['link', IconLink],
] as const satisfies readonly (readonly [Formatting, unknown])[];

interface ToolsProps {
  readonly session: PictureSession;
  readonly writing: Pick<Writing, 'form'>;
  readonly field: TextRef;
  /** True in the small window, which has only photos. */
  readonly small: boolean;
}

/** The buttons for the text: formatting, and pictures. */
export function Tools({ session, writing: { form }, field, small }: ToolsProps): ReactElement {
  const [picking, setPicking] = useState(false);
  const inText = takesPictures(form);
  // A photo without pictures has a larger button for them.
  const takesPhotos = hasField(form, 'photos') && (form.kind !== 'photo' || listedPhotos(form).length > 0);
  const insert = (pictures: readonly string[]) => {
    if (field.current && pictures.length > 0) insertPictures(field.current, pictures);
  };
  const isText = hasField(form, 'text') && form.format !== 'html' && !small;
  return (
    <Group gap={2} wrap="nowrap" role="group" aria-label={toolWords.name}>
      {isText && <FormatTools field={field} onFormat={() => beginMarkdown(session)} />}
      {inText ? (
        <AddFiles
          input={photoWords.pictures}
          label={photoWords.addToText}
          onFiles={(files) => insert(session.addToText(files))}
        />
      ) : (
        takesPhotos && (
          <AddFiles input={photoWords.photos} label={photoWords.add} asked onFiles={session.addFiles} />
        )
      )}
      {inText && !small && (
        <Tool label={toolWords.fromMedia} title={toolWords.fromMedia} onClick={() => setPicking(true)}>
          <IconPhotoSearch {...icon} />
        </Tool>
      )}
      {picking && (
        <MediaPicker
          onClose={() => setPicking(false)}
          onPick={({ url }) => {
            setPicking(false);
            // The dialog returns the focus first.
            setTimeout(() => insert([pictureMarkdown('', url)]));
          }}
        />
      )}
    </Group>
  );
}

/** The buttons that format the selected words in Markdown. `onFormat`: hears it before that happens. */
function FormatTools({ field, onFormat }: { field: TextRef; onFormat: () => void }): ReactElement {
  return (
    <>
      {formats.map(([name, Icon]) => (
        <Tool
          key={name}
          label={toolWords[name]}
          title={toolWords.withKey(toolWords[name], name, isOnMac())}
          onClick={() => {
            onFormat();
            formatText(field, name);
          }}
        >
          <Icon {...icon} />
        </Tool>
      ))}
    </>
  );
}

interface ToolProps {
  readonly label: string;
  readonly title: string;
  readonly children: ReactNode;
  readonly asked?: boolean;
  readonly onClick: () => void;
}

function Tool({ label, title, children, asked = false, onClick }: ToolProps): ReactElement {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={34}
      aria-label={label}
      title={title}
      // The selection of the text stays where it is.
      onMouseDown={(event) => event.preventDefault()}
      {...(asked && { 'data-asked': 'photos', 'aria-describedby': 'photos-missing' })}
      onClick={onClick}
    >
      {children}
    </ActionIcon>
  );
}

interface AddFilesProps {
  /** The name of the field for files. */
  readonly input: string;
  readonly label: string;
  readonly asked?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

/** The button that adds pictures. */
function AddFiles({ input, label, asked = false, onFiles }: AddFilesProps): ReactElement {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <FileInput chooser={chooser} label={input} onFiles={onFiles} />
      <Tool label={label} title={label} asked={asked} onClick={() => chooser.current?.click()}>
        <IconPhotoPlus {...icon} />
      </Tool>
    </>
  );
}

interface FileInputProps {
  readonly chooser: React.RefObject<HTMLInputElement | null>;
  readonly label: string;
  readonly onFiles: (files: readonly File[]) => void;
}

/** The hidden field behind a button that adds pictures. */
export function FileInput({ chooser, label, onFiles }: FileInputProps): ReactElement {
  return (
    <input
      ref={chooser}
      type="file"
      hidden
      multiple
      accept="image/*"
      aria-label={label}
      onChange={(event) => {
        onFiles([...(event.currentTarget.files ?? [])]);
        // Without this, choosing a removed file again would fire no event.
        event.currentTarget.value = '';
      }}
    />
  );
}
