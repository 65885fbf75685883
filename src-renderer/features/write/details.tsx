import {
  Button,
  NativeSelect,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
  VisuallyHidden,
} from '@mantine/core';
import { useRef, useState, type ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { useSiteName } from '../../client/own-site.ts';
import shared from '../../ui/shared.module.css';
import { hasField } from './form.ts';
import type { FieldsProps } from './kinds.tsx';
import { fieldTime, momentIn } from './local-time.ts';
import { FileInput } from './tools.tsx';
import { fieldWords, photoWords } from './words.ts';
import styles from './write.module.css';

const visibilities = ['public', 'unlisted', 'private'] as const;

/** The fields beside the text that few posts need. `id`: for the button that shows them. */
export function PostDetails({ session, writing, id }: FieldsProps & { id: string }): ReactElement {
  const { form, revision } = writing;
  const settings = useAnswer('settings.get', {}).data;
  const site = useSiteName();
  return (
    <section
      id={id}
      tabIndex={-1}
      aria-label={fieldWords.details}
      className={`${shared.quiet} ${styles.details}`}
    >
      <Stack>
        {hasField(form, 'categories') && <Categories session={session} writing={writing} />}
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
        {form.kind === 'article' && <Cover onFiles={session.addFiles} />}
        <PublishedField key={`published-${revision}`} session={session} writing={writing} />
        <NativeSelect
          label={fieldWords.readers}
          description={
            form.visibility === 'unlisted' && settings?.siteFolder.on === true
              ? fieldWords.unlistedHelp[settings.siteFolder.generator]
              : ''
          }
          data={visibilities.map((value) => ({ value, label: fieldWords.visibilities[value](site) }))}
          value={form.visibility}
          onChange={(event) => {
            const found = visibilities.find((value) => value === event.currentTarget.value);
            session.change({ visibility: found ?? 'public' });
          }}
        />
        <SlugField key={`slug-${revision}`} session={session} writing={writing} />
        {form.format !== 'html' && hasField(form, 'text') && (
          <NativeSelect
            label={fieldWords.format}
            description={form.format === 'markdown' ? fieldWords.markdownHelp : ''}
            data={Object.entries(fieldWords.formats).map(([value, label]) => ({ value, label }))}
            value={form.format}
            onChange={(event) =>
              session.change({ format: event.currentTarget.value === 'markdown' ? 'markdown' : 'plain' })
            }
          />
        )}
      </Stack>
    </section>
  );
}

/** The button that gives an article a cover. */
function Cover({ onFiles }: { onFiles: (files: readonly File[]) => void }): ReactElement {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <div>
      <FileInput chooser={chooser} label={photoWords.cover} onFiles={onFiles} />
      <Button variant="default" size="xs" data-asked="photos" onClick={() => chooser.current?.click()}>
        {photoWords.addCover}
      </Button>
      <Text size="sm" c="dimmed" mt={4}>
        {photoWords.coverHelp}
      </Text>
    </div>
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

/** The date in the viewer's time zone. The form keeps the moment as it was until the owner changes it. */
function PublishedField({ session, writing: { form, missing } }: FieldsProps): ReactElement {
  return (
    <TextInput
      type="datetime-local"
      label={fieldWords.published}
      description={fieldWords.publishedHelp}
      max="9999-12-31T23:59"
      data-asked="published"
      error={missing.published}
      defaultValue={fieldTime(form.published)}
      onChange={(event) => {
        const { value, validity } = event.currentTarget;
        // A date that is only partly typed reads as empty.
        session.change({ published: validity.badInput ? form.published : momentIn(value) });
      }}
    />
  );
}

/** The slug. A draft moves to a new address with each saved slug, so the form takes only the finished one. */
function SlugField({ session, writing: { form, missing } }: FieldsProps): ReactElement {
  const [slug, setSlug] = useState(form.slug);
  const finish = () => {
    if (slug.trim() !== form.slug) session.change({ slug: slug.trim() });
  };
  return (
    <TextInput
      label={fieldWords.slug}
      description={fieldWords.slugHelp}
      maxLength={300}
      data-asked="slug"
      error={missing.slug}
      value={slug}
      onChange={(event) => setSlug(event.currentTarget.value)}
      onBlur={finish}
      onKeyDown={(event) => {
        if (event.key === 'Enter') finish();
      }}
    />
  );
}
