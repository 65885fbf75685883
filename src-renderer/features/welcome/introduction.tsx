import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import type { Profile } from '../../../src-main/contract/settings.ts';
import { useAction } from '../../client/queries.ts';
import { AppMark } from '../../ui/app-mark.tsx';
import { Address, Foreign } from '../../ui/foreign.tsx';
import look from '../../ui/look.module.css';
import { ErrorNote, WarningNote } from '../../ui/states.tsx';

interface Props {
  readonly profile: Profile;
  /** Why the site could not be read; null where it could. */
  readonly failure: Error | null;
  readonly onDone: () => void;
  /** It is somebody else: the domain is asked for again. */
  readonly onBack: () => void;
}

/** What the owner's site told of them, to look over and keep. */
export function Introduction({ profile, failure, onDone, onBack }: Props): ReactElement {
  const [name, setName] = useState(profile.name);
  const [photo, setPhoto] = useState(profile.photo);
  const [email, setEmail] = useState(profile.email);
  const save = useAction('settings.update');
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  const nothing = profile.name === '' && profile.photo === '' && profile.email === '';

  const submit = () =>
    save.mutate(
      { profile: { name: name.trim(), photo: photo.trim(), url: profile.url, email: email.trim() } },
      { onSuccess: onDone },
    );

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="lg">
        <div className={look.row}>
          <AppMark name={name || (profile.me ?? '')} large />
          <div className={look.rowBody}>
            <Title order={1} ref={title} tabIndex={-1}>
              {failure ? 'Saved' : 'Is this you?'}
            </Title>
            {profile.me !== null && (
              <Text c="dimmed">
                <Address url={profile.me} />
              </Text>
            )}
          </div>
        </div>
        {failure && (
          <WarningNote>
            Your site could not be read just now: <Foreign text={failure.message} /> You can fill this in
            yourself, or later in the settings.
          </WarningNote>
        )}
        {!failure && (
          <Text>
            {nothing
              ? 'Your site does not say who you are in a way that programs can read. You can tell it here; both fields may stay empty.'
              : 'This is what your site says about you. Apps see it only when you let them.'}
          </Text>
        )}
        <TextInput
          label="Name"
          value={name}
          maxLength={500}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label="Photo (its web address)"
          value={photo}
          maxLength={2048}
          inputMode="url"
          onChange={(event) => setPhoto(event.currentTarget.value)}
        />
        {profile.email !== '' && (
          <TextInput
            label="Email address"
            type="email"
            value={email}
            maxLength={320}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
        )}
        <ErrorNote error={save.error} doing="Your profile was not saved." />
        <Group>
          <Button type="submit" size="md" color="amber.5" loading={save.isPending}>
            Go on
          </Button>
          <Button variant="default" size="md" disabled={save.isPending} onClick={onBack}>
            Use another domain
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
