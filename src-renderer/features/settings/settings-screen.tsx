import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAnswer, useClient } from '../../client/queries.ts';
import { Page, Section } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { ReachForm } from '../reach/reach-form.tsx';
import { BlockedSites } from './blocked-sites.tsx';
import { ManagementToken } from './management-token.tsx';
import { PostingForm } from './posting-form.tsx';
import { ProfileForm } from './profile-form.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { ThisComputer } from './this-computer.tsx';
import { WebmentionForm } from './webmention-form.tsx';

const secretWords = {
  keychain: 'In this computer’s keychain, where only your account can read them.',
  file: 'In a file in the data folder that only your account can read, not in this computer’s keychain.',
};

/** All that can be set, each part with its own button. */
export function SettingsScreen(): ReactElement {
  const settings = useAnswer('settings.get', {});
  const { home } = useClient();
  return (
    <Page title="Settings">
      <Loaded query={settings} what="your settings">
        {({ profile, signIn, micropub, webmention, desktop }) => (
          <>
            <Section
              title="You"
              about="Who you are to the apps you sign in to. They see it only when you let them."
            >
              <ProfileForm profile={profile} />
            </Section>
            <Section
              title="How you are reached"
              about="Apps and other sites need a public address that leads to this computer."
            >
              <ReachForm />
            </Section>
            <Section title="Signing in">
              <SignInForm signIn={signIn} />
            </Section>
            <Section title="Posting" about="What apps that post for you are told, and what they may send.">
              <PostingForm micropub={micropub} />
            </Section>
            <Section
              title="Webmentions"
              about="What other sites say about your pages, and what is shown of it."
            >
              <WebmentionForm webmention={webmention} />
              <BlockedSites />
            </Section>
            {home === 'desktop' && (
              <Section title="This computer">
                <ThisComputer desktop={desktop} />
              </Section>
            )}
          </>
        )}
      </Loaded>
      <Section
        title="Management token"
        about="For programs of your own that manage this server. Whoever has it can delete what the server holds."
      >
        <ManagementToken />
      </Section>
      <SecretPlace />
    </Page>
  );
}

function SecretPlace(): ReactElement {
  const status = useAnswer('status.get', {});
  return (
    <Section title="Where secrets are kept">
      <Loaded query={status} what="where secrets are kept">
        {({ secrets }) => <Text>{secretWords[secrets]}</Text>}
      </Loaded>
    </Section>
  );
}
