import {
  Chip,
  Group,
  NativeSelect,
  Stack,
  TagsInput,
  Textarea,
  TextInput,
  VisuallyHidden,
} from '@mantine/core';
import { useId, useRef, useState, type ReactElement } from 'react';
import {
  postKinds,
  responseFields,
  rsvpAnswerIn,
  rsvpAnswerList,
  rsvpAnswers,
  writingKinds,
  type ResponseField,
} from '../../../src-main/contract/post-kinds.ts';
import { useAnswer } from '../../client/queries.ts';
import { addressField, hasField, withKind } from './form.ts';
import { PhotoList } from './photo-list.tsx';
import { TextField, takesPictures } from './text-field.tsx';
import { insertPictures } from './text-insertion.ts';
import type { Writing, WritingSession } from './writing.ts';
import { fieldWords } from './words.ts';
import styles from './write.module.css';

export interface FieldsProps {
  readonly session: WritingSession;
  readonly writing: Writing;
}

/** The choice of what to write. */
export function KindChoice({ session, writing }: FieldsProps): ReactElement {
  // Without a name, each radio button is a group of its own: another stop for Tab, and the arrow keys do nothing.
  const name = useId();
  return (
    <div role="radiogroup" aria-label={fieldWords.kind}>
      <Chip.Group
        value={writing.form.kind}
        onChange={(value) => {
          const kind = writingKinds.find((name) => name === value);
          if (kind !== undefined) session.edit((form) => withKind(form, kind));
        }}
      >
        <Group gap={6}>
          {writingKinds.map((kind) => (
            <Chip
              key={kind}
              name={name}
              value={kind}
              size="sm"
              classNames={{ input: styles.kindInput, label: styles.kindLabel }}
            >
              {postKinds[kind].name}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </div>
  );
}

const answers = rsvpAnswerList.map((value) => ({ value, label: rsvpAnswers[value].choice }));

/** The fields of the chosen kind. */
export function KindFields({ session, writing }: FieldsProps): ReactElement {
  const { form, missing } = writing;
  const address = addressField(form);
  const text = useRef<HTMLTextAreaElement>(null);
  const onInsert = (id: string) => {
    const picture = session.takeForText(id);
    if (picture !== undefined && text.current) insertPictures(text.current, [picture]);
  };
  return (
    <Stack>
      {address && (
        <TextInput
          type="url"
          label={form.kind === 'rsvp' ? fieldWords.event : labelOf(address)}
          placeholder={fieldWords.addressExample}
          maxLength={4096}
          data-asked="address"
          error={missing.address}
          value={form[address]}
          onChange={(event) => session.change({ [address]: event.currentTarget.value })}
        />
      )}
      {hasField(form, 'rsvp') && (
        <NativeSelect
          label={fieldWords.rsvp}
          data={[{ value: '', label: '' }, ...answers]}
          data-asked="rsvp"
          error={missing.rsvp}
          value={form.rsvp}
          onChange={(event) => session.change({ rsvp: rsvpAnswerIn(event.currentTarget.value) ?? '' })}
        />
      )}
      {hasField(form, 'name') && (
        <TextInput
          label={fieldWords.title}
          maxLength={1000}
          spellCheck
          dir="auto"
          size="md"
          data-asked="name"
          error={missing.name}
          value={form.name}
          onChange={(event) => session.change({ name: event.currentTarget.value })}
        />
      )}
      {hasField(form, 'summary') && (
        <Textarea
          label={fieldWords.summary}
          description={fieldWords.summaryHelp}
          rows={2}
          resize="vertical"
          maxLength={5000}
          dir="auto"
          value={form.summary}
          onChange={(event) => session.change({ summary: event.currentTarget.value })}
        />
      )}
      {form.kind === 'photo' && <PhotoList session={session} writing={writing} />}
      {hasField(form, 'text') && <TextField session={session} writing={writing} field={text} />}
      {form.kind !== 'photo' && hasField(form, 'photos') && (
        <PhotoList
          session={session}
          writing={writing}
          onInsert={takesPictures(form) ? onInsert : undefined}
        />
      )}
      {hasField(form, 'categories') && <Categories session={session} writing={writing} />}
    </Stack>
  );
}

function Categories({ session, writing: { form } }: FieldsProps): ReactElement {
  const known = useAnswer('posts.categories', {}).data ?? [];
  const [said, setSaid] = useState('');
  return (
    <div>
      <TagsInput
        label={fieldWords.categories}
        placeholder={form.categories.length === 0 ? fieldWords.categoriesHelp : ''}
        data={known}
        value={form.categories}
        maxTags={100}
        maxLength={200}
        acceptValueOnBlur
        onChange={(categories) => {
          setSaid(fieldWords.categoriesNow(categories));
          session.change({ categories });
        }}
      />
      <VisuallyHidden role="status">{said}</VisuallyHidden>
    </div>
  );
}

const labelOf = (address: ResponseField) => responseFields.find(({ field }) => field === address)?.label;
