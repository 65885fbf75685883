import { Anchor, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { welcomeHash } from '../../routes.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Address } from '../../ui/foreign.tsx';
import { isLocal } from '../../ui/local-address.ts';
import { Page, Section } from '../../ui/page.tsx';
import { Loaded, WarningNote } from '../../ui/states.tsx';
import { isOwnPage } from './own-page.ts';
import { SelfTest } from './self-test.tsx';
import { setupWords as words } from './words.ts';

/** Whether everything works as seen from the web, and the lines for the owner's home page. */
export function Setup(): ReactElement {
  const tags = useAnswer('setup.linkTags', {});
  const me = useAnswer('settings.get', {}).data?.profile.me ?? null;
  const isOwn = isOwnPage(me, useAnswer('status.get', {}).data?.baseUrl);
  return (
    <Page
      title={words.title}
      about={
        <>
          {isOwn ? words.aboutOwn : words.about}{' '}
          <Anchor href={welcomeHash('who')} inherit underline="always" c="inherit">
            {words.again}
          </Anchor>
        </>
      }
    >
      <Section title={words.check.title} about={words.check.about}>
        <SelfTest />
      </Section>
      {!isOwn && (
        <Section
          title={words.lines.title}
          about={
            <>
              {words.lines.before}
              {me === null ? words.lines.homePage : <Address url={me} />}
              {words.lines.after}
            </>
          }
        >
          <Loaded query={tags} what={words.lines.name}>
            {({ html, tags: [first] }) => (
              <>
                {first !== undefined && isLocal(first.href) && <NoPublicAddress />}
                <CodeBlock text={html} what={words.lines.name} />
              </>
            )}
          </Loaded>
        </Section>
      )}
      <Section title={words.signIn.title}>
        <Text>
          {words.signIn.before}
          <Anchor href="#/sign-ins" inherit underline="always" c="inherit">
            {words.signIn.link}
          </Anchor>
          .
        </Text>
      </Section>
    </Page>
  );
}

/** Lines that lead to this computer only are useless on a public website. */
function NoPublicAddress(): ReactElement {
  return (
    <WarningNote>
      <b>{words.local.problem}</b> {words.local.explanation}{' '}
      <Anchor href={welcomeHash('reach')} inherit underline="always" c="inherit">
        {words.local.link}
      </Anchor>
      .
    </WarningNote>
  );
}
