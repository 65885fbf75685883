import { Button, Group, Text, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Profile } from '../../../src-main/contract/settings.ts';
import { useAction } from '../../client/queries.ts';
import { ErrorNote } from '../../ui/states.tsx';
import { profileUrl } from '../../ui/profile-url.ts';
import { FormFrame } from './form-frame.tsx';
import { OwnerPhoto } from './owner-photo.tsx';
import { ownerPhotoWords } from './owner-photo-words.ts';
import { useSettingsForm } from './use-settings-form.ts';

type Field = keyof Profile;

const fields: readonly {
  name: Field;
  label: string;
  description?: string;
  type: string;
  maxLength: number;
}[] = [
  {
    name: 'me',
    label: 'Your domain',
    description: 'You sign in as this. Apps know you by it: with another one you are somebody new to them.',
    type: 'url',
    maxLength: 2048,
  },
  { name: 'name', label: 'Name', type: 'text', maxLength: 500 },
  { name: 'url', label: 'Web address', type: 'url', maxLength: 2048 },
  { name: 'email', label: 'Email address', type: 'email', maxLength: 320 },
];

/** Who the owner is. What is typed or read stays a draft until saved. */
export function ProfileForm({ profile }: { profile: Profile }): ReactElement {
  const form = useSettingsForm('profile', profile);
  const [problem, setProblem] = useState<string | null>(null);
  const read = useAction('profile.read');
  const { shown, draft, change } = form;
  const me = shown.me ?? '';
  // An untouched domain is kept as it is written, to the letter: only the service may judge it.
  const domainNow = () =>
    draft.me === undefined && profile.me !== null ? { url: profile.me } : profileUrl(me);

  const readSite = () => {
    const domain = domainNow();
    setProblem('problem' in domain ? domain.problem : null);
    if ('problem' in domain) return;
    form.clearError();
    read.mutate({ url: domain.url }, { onSuccess: (told) => change(newIn(told, profile)) });
  };

  const submit = () => {
    const domain = domainNow();
    setProblem('problem' in domain ? domain.problem : null);
    if ('problem' in domain) return;
    read.reset();
    form.submit(draft.me === undefined ? draft : { ...draft, me: domain.url });
  };

  const discard = () => {
    form.discard();
    setProblem(null);
    read.reset();
  };

  return (
    <FormFrame form={form} onSubmit={submit} onDiscard={discard}>
      <Group wrap="nowrap">
        <div>
          <Button variant="default" size="xs" loading={read.isPending} onClick={readSite}>
            Read from my site
          </Button>
          <Text role="status" size="sm" c="dimmed" mt={4}>
            {read.data
              ? readWords(newIn(read.data, profile))
              : 'Fills in what your home page says about you. Nothing changes until you save.'}
          </Text>
        </div>
      </Group>
      <ErrorNote error={read.error} doing="Your site could not be read." />
      <OwnerPhoto profile={profile} found={draft.photo !== undefined} />
      {fields.map(({ name, ...field }) => (
        <TextInput
          key={name}
          {...field}
          value={shown[name] ?? ''}
          error={name === 'me' ? problem : undefined}
          onChange={(event) => {
            change({ [name]: event.currentTarget.value });
          }}
        />
      ))}
    </FormFrame>
  );
}

/** What the site told that is not known yet. The domain stays the owner's own choice. */
function newIn(told: Profile, known: Profile): Partial<Profile> {
  const news: Partial<Profile> = {};
  for (const name of ['name', 'url', 'photo', 'email'] as const) {
    if (told[name] !== '' && told[name] !== known[name]) news[name] = told[name];
  }
  return news;
}

function readWords(news: Partial<Profile>): string {
  const labels = [...fields, { name: 'photo', label: ownerPhotoWords.title }]
    .filter(({ name }) => name in news)
    .map(({ label }) => label.toLowerCase());
  if (labels.length === 0) return 'Your site says nothing that is not here already.';
  return `Found on your site: ${labels.join(', ')}. Look it over, then save.`;
}
