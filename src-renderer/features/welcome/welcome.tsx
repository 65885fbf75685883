import { Anchor, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Profile } from '../../../src-main/contract/settings.ts';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { Lamp } from '../../ui/lamp.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { pageTitleId } from '../../ui/page.tsx';
import { profileUrl } from '../../ui/profile-url.ts';
import { Introduction } from './introduction.tsx';

interface Props {
  /** The owner's domain is about to be saved. */
  readonly onStart: () => void;
  /** It is known who the owner is. */
  readonly onDone: () => void;
  /** The owner would rather say it later. */
  readonly onSkip: () => void;
  /** The owner has a backup, and wants to begin with that. */
  readonly onRestore: () => void;
}

/** The first step: whose server is this? */
export function Welcome({ onStart, onDone, onSkip, onRestore }: Props): ReactElement {
  const known = useAnswer('settings.get', {}).data?.profile.me ?? null;
  const [typed, setTyped] = useState(known ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const [found, setFound] = useState<{ profile: Profile; failure: Error | null } | null>(null);
  const save = useAction('settings.update');
  const read = useAction('profile.read');

  const submit = () => {
    const domain = profileUrl(typed);
    if ('problem' in domain) {
      setProblem(domain.problem);
      return;
    }
    setProblem(null);
    onStart();
    save.mutate(
      { profile: { me: domain.url } },
      {
        onSuccess: ({ profile }) =>
          read.mutate(
            { url: domain.url },
            {
              onSuccess: (told) => setFound({ profile: filledIn(profile, told), failure: null }),
              onError: (failure) => setFound({ profile, failure: saysNothing(failure) ? null : failure }),
            },
          ),
      },
    );
  };

  if (found) {
    return (
      <Introduction
        profile={found.profile}
        failure={found.failure}
        onDone={onDone}
        onBack={() => setFound(null)}
      />
    );
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="lg">
        <Lamp lit size={88} />
        <Title order={1} id={pageTitleId} tabIndex={-1}>
          Welcome to Porchlight
        </Title>
        <Text>
          This computer can be the home of your web identity. Your website stays where it is; with Porchlight
          you sign in to apps with your own domain, and nobody but you can say yes.
        </Text>
        <TextInput
          label="Your domain"
          description="The address of your website, as you would tell it to a friend."
          placeholder="example.com"
          size="md"
          autoComplete="url"
          inputMode="url"
          spellCheck={false}
          autoCapitalize="none"
          value={typed}
          error={problem}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <ErrorNote error={save.error} doing="Your domain was not saved." />
        <Group>
          <Button type="submit" size="md" color="amber.5" loading={save.isPending || read.isPending}>
            {read.isPending ? 'Reading your site…' : 'Go on'}
          </Button>
          <Button variant="subtle" color="stone" size="md" onClick={onSkip}>
            {known === null ? 'Later' : 'Skip this step'}
          </Button>
        </Group>
        {known === null && (
          <Text size="sm" c="dimmed">
            Do you have a backup?{' '}
            <Anchor
              component="button"
              type="button"
              inherit
              underline="always"
              c="inherit"
              onClick={onRestore}
            >
              Restore a backup
            </Anchor>
          </Text>
        )}
      </Stack>
    </form>
  );
}

/** The profile with what the site told, where it told something. `me` stays what was typed. */
function filledIn(profile: Profile, told: Profile): Profile {
  return {
    me: profile.me,
    name: told.name || profile.name,
    url: told.url || profile.url,
    photo: told.photo || profile.photo,
    email: told.email || profile.email,
  };
}

/** The site was read, and does not tell whose it is in a way that programs read. */
function saysNothing(failure: Error): boolean {
  return failure instanceof PorchlightError && failure.code === 'no_profile';
}
