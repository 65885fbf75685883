import { NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { useSiteName } from '../../client/own-site.ts';
import type { FieldsProps } from './fields.tsx';
import { fieldTime, momentIn } from './local-time.ts';
import { fieldWords } from './words.ts';
import styles from './write.module.css';

const visibilities = ['public', 'unlisted', 'private'] as const;

/** The fields that few posts need, folded until the owner opens them or one of them is wrong. */
export function MoreFields({ session, writing }: FieldsProps): ReactElement {
  const { form, missing, revision } = writing;
  const [isOpen, setIsOpen] = useState(false);
  const settings = useAnswer('settings.get', {}).data;
  const site = useSiteName();
  const isWrong = missing.slug !== undefined || missing.published !== undefined;
  return (
    <details
      className={styles.more}
      open={isOpen || isWrong}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>{fieldWords.more}</summary>
      <Stack mt="sm">
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
      </Stack>
    </details>
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
