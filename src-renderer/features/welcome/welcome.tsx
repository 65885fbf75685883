import { Anchor, Button, Group, Radio, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { Profile } from '../../../src-main/contract/settings.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { Lamp } from '../../ui/lamp.tsx';
import { pageTitleId } from '../../ui/page.tsx';
import { profileUrl } from '../../ui/profile-url.ts';
import { ErrorNote } from '../../ui/states.tsx';
import { Introduction } from './introduction.tsx';
import { StepButtons } from './step-frame.tsx';
import { welcomeWords as words, wizardWords } from './words.ts';

interface Props {
  /** The owner's home page is Porchlight's own. */
  readonly isHome: boolean;
  /** The owner says whether they have a website. */
  readonly onChoose: (withoutWebsite: boolean) => void;
  /** The owner's website is about to be saved. */
  readonly onStart: () => void;
  /** The step is complete, or skipped. */
  readonly onDone: (withoutWebsite: boolean) => void;
  /** The owner has a backup and wants to begin with that. */
  readonly onRestore: () => void;
}

/** The first step: does the owner have a domain, and who are they? */
export function Welcome(props: Props): ReactElement | null {
  const profile = useAnswer('settings.get', {}).data?.profile;
  return profile === undefined ? null : <Form profile={profile} {...props} />;
}

function Form({
  profile,
  isHome,
  onChoose,
  onStart,
  onDone,
  onRestore,
}: Props & { profile: Profile }): ReactElement {
  const { me } = profile;
  // A name without a website is what an owner without one saved here before they stopped.
  const [without, setWithout] = useState(isHome || (me === null && profile.name !== ''));
  const [typed, setTyped] = useState(isHome ? '' : (me ?? ''));
  const [name, setName] = useState(profile.name);
  const [problem, setProblem] = useState<string | null>(null);
  const saveName = useAction('settings.update');
  const website = useWebsite();

  const submit = () => {
    if (without) {
      saveName.mutate({ profile: { name: name.trim() } }, { onSuccess: () => onDone(true) });
      return;
    }
    const domain = profileUrl(typed);
    setProblem('problem' in domain ? domain.problem : null);
    if ('problem' in domain) return;
    onStart();
    website.save(domain.url);
  };

  if (website.found) {
    return <Introduction {...website.found} onDone={() => onDone(false)} onBack={website.forget} />;
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
        <Group gap="md">
          <Lamp lit size={64} />
          <Title order={1} id={pageTitleId} tabIndex={-1}>
            {words.title}
          </Title>
        </Group>
        <Text>{words.about}</Text>
        <Radio.Group
          label={words.question}
          size="md"
          value={without ? 'no' : 'yes'}
          onChange={(value) => {
            setWithout(value === 'no');
            onChoose(value === 'no');
          }}
        >
          <Stack gap="xs" mt="xs">
            <Radio
              color="var(--porchlight-tick)"
              value="yes"
              label={words.yes}
              description={words.yesAbout}
            />
            <Radio color="var(--porchlight-tick)" value="no" label={words.no} description={words.noAbout} />
          </Stack>
        </Radio.Group>
        {without ? (
          <TextInput
            label={words.name}
            description={words.nameAbout}
            size="md"
            autoComplete="name"
            dir="auto"
            maxLength={500}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        ) : (
          <TextInput
            label={words.domain}
            description={words.domainAbout}
            placeholder={words.domainPlaceholder}
            size="md"
            autoComplete="url"
            inputMode="url"
            spellCheck={false}
            autoCapitalize="none"
            value={typed}
            error={problem}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        <ErrorNote error={without ? saveName.error : null} doing={words.nameNotSaved} />
        <ErrorNote error={without ? null : website.error} doing={words.domainNotSaved} />
        <StepButtons
          primary={
            <Button type="submit" size="md" color="amber.5" loading={website.isPending || saveName.isPending}>
              {website.isReading ? words.reading : wizardWords.continue}
            </Button>
          }
          onSkip={() => onDone(without)}
        />
        {me === null && (
          <Anchor
            component="button"
            type="button"
            size="sm"
            underline="always"
            c="dimmed"
            ta="start"
            onClick={onRestore}
          >
            {words.restore}
          </Anchor>
        )}
      </Stack>
    </form>
  );
}

/** The profile as far as the website tells it. `failure`: why the website could not be read; null where it could. */
interface Found {
  readonly profile: Profile;
  readonly failure: Error | null;
}

interface Website {
  readonly found: Found | null;
  /** Why the address was not saved. */
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly isReading: boolean;
  /** Saves the address, then reads who the page is about. */
  readonly save: (url: string) => void;
  /** Asks for the address again. */
  readonly forget: () => void;
}

/** Saves the owner's website and reads their profile from it. A page that cannot be read is no obstacle. */
function useWebsite(): Website {
  const [found, setFound] = useState<Found | null>(null);
  const save = useAction('settings.update');
  const read = useAction('profile.read');
  return {
    found,
    error: save.error,
    isPending: save.isPending || read.isPending,
    isReading: read.isPending,
    save: (url) =>
      save.mutate(
        { profile: { me: url } },
        {
          onSuccess: ({ profile }) =>
            read.mutate(
              { url },
              {
                onSuccess: (found) => setFound({ profile: filledIn(profile, found), failure: null }),
                onError: (failure) => setFound({ profile, failure: saysNothing(failure) ? null : failure }),
              },
            ),
        },
      ),
    forget: () => setFound(null),
  };
}

/** The profile with what the website tells, where it tells something. `me` stays as the owner typed it. */
function filledIn(profile: Profile, found: Profile): Profile {
  return {
    me: profile.me,
    name: found.name || profile.name,
    url: found.url || profile.url,
    photo: found.photo || profile.photo,
    email: found.email || profile.email,
  };
}

/** The page was read, but it does not say who it is about in a form that programs can read. */
function saysNothing(failure: Error): boolean {
  return failure instanceof PorchlightError && failure.code === 'no_profile';
}
