import { Anchor, Button, Group, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAction, useAnswer } from '../../client/queries.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Address } from '../../ui/foreign.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ErrorNote, Loaded, WarningNote } from '../../ui/states.tsx';
import { Findings } from './findings.tsx';

/** How the owner's site comes to point here, and whether it does. */
export function Setup(): ReactElement {
  const tags = useAnswer('setup.linkTags', {});
  const me = useAnswer('settings.get', {}).data?.profile.me ?? null;
  const check = useAction('setup.check');
  return (
    <Page
      title="Set-up"
      about="Your website stays where it is. These lines tell apps that your sign-in lives here."
    >
      <Section
        title="1. Put these lines on your site"
        about={
          <>
            Paste them into the head of {me === null ? 'your home page' : <Address url={me} />}, between{' '}
            {'<head>'} and {'</head>'}.
          </>
        }
      >
        <Loaded query={tags} what="the lines for your site">
          {({ html, tags: [first] }) => (
            <>
              {first?.href.startsWith('http:') && <NoPublicAddress />}
              <CodeBlock text={html} what="the lines for your site" />
            </>
          )}
        </Loaded>
      </Section>
      <Section title="2. Check" about="Porchlight reads your site as an app would, and tells what it finds.">
        <Group>
          <Button color="amber.5" loading={check.isPending} onClick={() => check.mutate({})}>
            {check.data ? 'Check again' : 'Check my site'}
          </Button>
        </Group>
        <div aria-live="polite">{check.data && <Findings findings={check.data.findings} />}</div>
        <ErrorNote error={check.error} doing="Your site could not be checked." />
      </Section>
      <Section title="3. Sign in somewhere">
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
      Before you paste them, start Porchlight with <code>--base-url</code> and the address of your reverse
      proxy, or with <code>--tunnel</code>. Its README says how.
    </WarningNote>
  );
}
