import { Button, Group, Text, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Profile } from '../../../src-main/contract/settings.ts';
import { useAction } from '../../client/queries.ts';
import { ErrorNote } from '../../ui/states.tsx';
import { hostIn } from '../../ui/plain-text.ts';
import { profileUrl } from '../../ui/profile-url.ts';
import { FormFrame } from './form-frame.tsx';
import { OwnerPhoto } from './owner-photo.tsx';
import { settingProps } from './setting-props.ts';
import { useSettingsForm } from './use-settings-form.ts';
import { profileWords as words } from './words.ts';

type Field = keyof Profile;

const setting = settingProps('profile', words.settings);

const fields: readonly { name: Field; type: string; maxLength: number }[] = [
  { name: 'me', type: 'url', maxLength: 2048 },
  { name: 'name', type: 'text', maxLength: 500 },
  { name: 'url', type: 'url', maxLength: 2048 },
  { name: 'email', type: 'email', maxLength: 320 },
];

/** Edits who the owner is. Text that is typed or read from the site stays a draft until it is saved. */
export function ProfileForm({ profile }: { profile: Profile }): ReactElement {
  const form = useSettingsForm('profile', profile);
  const [problem, setProblem] = useState<string | null>(null);
  const read = useAction('profile.read');
  const { shown, draft, change } = form;
  const me = shown.me ?? '';
  // A domain that nobody changed is sent exactly as it is saved: only the service may judge it.
  const domainNow = () =>
    draft.me === undefined && profile.me !== null ? { url: profile.me } : profileUrl(me);

  const readSite = () => {
    const domain = domainNow();
    setProblem('problem' in domain ? domain.problem : null);
    if ('problem' in domain) return;
    form.clearError();
    read.mutate({ url: domain.url }, { onSuccess: (found) => change(newIn(found, profile)) });
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
            {words.read}
          </Button>
          <Text role="status" size="sm" c="dimmed" mt={4}>
            {read.data ? readWords(hostIn(read.variables.url), newIn(read.data, profile)) : words.aboutRead}
          </Text>
        </div>
      </Group>
      <ErrorNote error={read.error} doing={words.notRead} />
      <OwnerPhoto profile={profile} found={draft.photo !== undefined} />
      {fields.map(({ name, ...field }) => (
        <TextInput
          key={name}
          {...setting(name)}
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

/** Returns what the site says that is new. The domain stays the owner's choice. */
function newIn(found: Profile, known: Profile): Partial<Profile> {
  const news: Partial<Profile> = {};
  for (const name of ['name', 'url', 'photo', 'email'] as const) {
    if (found[name] !== '' && found[name] !== known[name]) news[name] = found[name];
  }
  return news;
}

function readWords(host: string, news: Partial<Profile>): string {
  const labels = [...fields, { name: 'photo' } as const]
    .filter(({ name }) => name in news)
    .map(({ name }) => words.settings[name].label.toLowerCase());
  if (labels.length === 0) return words.nothingNew(host);
  return words.found(host, labels);
}
