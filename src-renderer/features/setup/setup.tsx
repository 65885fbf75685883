import { Anchor, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { welcomeHash } from '../../routes.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Address } from '../../ui/foreign.tsx';
import { isLocal } from '../../ui/local-address.ts';
import { Page, Section } from '../../ui/page.tsx';
import { Loaded, WarningNote } from '../../ui/states.tsx';
import { SelfTest } from './self-test.tsx';

/** Whether all works as seen from outside, and what the owner's site has to say. */
export function Setup(): ReactElement {
  const tags = useAnswer('setup.linkTags', {});
  const me = useAnswer('settings.get', {}).data?.profile.me ?? null;
  return (
    <Page
      title="Set-up"
      about={
        <>
          Your website stays where it is; its head points here. You can{' '}
          <Anchor href={welcomeHash('who')} inherit underline="always" c="inherit">
            go through the set-up again
          </Anchor>
          , step by step.
        </>
      }
    >
      <Section
        title="Does it all work?"
        about="Porchlight knocks at its own public address, reads your site as an app would, and tells what it finds."
      >
        <SelfTest />
      </Section>
      <Section
        title="The lines for your site"
        about={
          <>
            They stand in the head of {me === null ? 'your home page' : <Address url={me} />}, between{' '}
            {'<head>'} and {'</head>'}.
          </>
        }
      >
        <Loaded query={tags} what="the lines for your site">
          {({ html, tags: [first] }) => (
            <>
              {first !== undefined && isLocal(first.href) && <NoPublicAddress />}
              <CodeBlock text={html} what="the lines for your site" />
            </>
          )}
        </Loaded>
      </Section>
      <Section title="Sign in somewhere">
        <Text>
          Go to any site that offers “sign in with your domain” and enter yours. The question comes up under{' '}
          <Anchor href="#/sign-ins" inherit underline="always" c="inherit">
            Sign-ins
          </Anchor>
          .
        </Text>
      </Section>
    </Page>
  );
}

/** Lines that lead to this computer only are of no use on a site that the world reads. */
function NoPublicAddress(): ReactElement {
  return (
    <WarningNote>
      <b>Porchlight has no public address yet:</b> these lines lead to this computer, and only from itself.
      Before you paste them,{' '}
      <Anchor href={welcomeHash('reach')} inherit underline="always" c="inherit">
        choose how you are reached
      </Anchor>
      .
    </WarningNote>
  );
}
