import { Button, Checkbox, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import type { Profile } from '../../../src-main/contract/settings.ts';
import { useAction } from '../../client/queries.ts';
import { AppMark } from '../../ui/app-mark.tsx';
import { Address, Foreign } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { ErrorNote, WarningNote } from '../../ui/states.tsx';
import { introductionWords as words, wizardWords } from './words.ts';

interface Props {
  readonly profile: Profile;
  /** Why the website could not be read; null where it could. */
  readonly failure: Error | null;
  readonly onDone: () => void;
  /** It is somebody else: the owner enters another website. */
  readonly onBack: () => void;
}

/** What the owner's website says about them, to review and save. */
export function Introduction({ profile, failure, onDone, onBack }: Props): ReactElement {
  const [name, setName] = useState(profile.name);
  const [withPhoto, setWithPhoto] = useState(true);
  const [email, setEmail] = useState(profile.email);
  const save = useAction('settings.update');
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  const nothing = profile.name === '' && profile.photo === '' && profile.email === '';

  const submit = () =>
    save.mutate(
      {
        profile: {
          name: name.trim(),
          photo: withPhoto ? profile.photo : '',
          url: profile.url,
          email: email.trim(),
        },
      },
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
        <div className={shared.row}>
          <AppMark name={name || (profile.me ?? '')} large round />
          <div className={shared.rowBody}>
            <Title order={1} ref={title} tabIndex={-1}>
              {failure ? words.titleUnread : words.title}
            </Title>
            {profile.me !== null && (
              <Text c="dimmed">
                <Address url={profile.me} />
              </Text>
            )}
          </div>
        </div>
        {failure ? (
          <WarningNote>
            {words.unread} <Foreign text={failure.message} /> {words.unreadHelp}
          </WarningNote>
        ) : (
          <Text>{nothing ? words.nothing : words.found}</Text>
        )}
        <TextInput
          label={words.name}
          dir="auto"
          autoComplete="name"
          value={name}
          maxLength={500}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {profile.photo !== '' && (
          <Checkbox
            label={words.photo}
            description={<Address url={profile.photo} />}
            checked={withPhoto}
            onChange={(event) => setWithPhoto(event.currentTarget.checked)}
          />
        )}
        {profile.email !== '' && (
          <TextInput
            label={words.email}
            type="email"
            value={email}
            maxLength={320}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
        )}
        <ErrorNote error={save.error} doing={words.notSaved} />
        <Group gap="xs">
          <Button type="submit" size="md" color="amber.5" loading={save.isPending}>
            {wizardWords.continue}
          </Button>
          <Button variant="subtle" color="stone" size="md" px="sm" disabled={save.isPending} onClick={onBack}>
            {wizardWords.back}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
