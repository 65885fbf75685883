import { Button } from '@mantine/core';
import { IconExternalLink, IconKey } from '../../ui/icons.ts';
import { useState, type ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { useRoute } from '../../routes.ts';
import shared from '../../ui/shared.module.css';
import { Page, Section } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { AppRow } from './app-row.tsx';
import { TokenDialog } from './token-dialog.tsx';
import { appsWords } from './words.ts';

/** The apps that can act for the owner. */
export function Apps(): ReactElement {
  const { id } = useRoute();
  const apps = useAnswer('apps.list', {});
  const [making, setMaking] = useState(false);
  return (
    <Page title={appsWords.title} about={appsWords.about}>
      <Loaded query={apps} what={appsWords.list}>
        {(list) =>
          list.length === 0 ? (
            <Empty drawing="key" step={<FindApps />}>
              {appsWords.empty}
            </Empty>
          ) : (
            <ul className={shared.list}>
              {list.map((app) => (
                <AppRow key={app.id} app={app} asked={app.id === id} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <Section title={appsWords.tokens.title} about={appsWords.tokens.about}>
        <div>
          <Button
            variant="default"
            leftSection={<IconKey size={16} aria-hidden="true" />}
            onClick={() => setMaking(true)}
          >
            {appsWords.tokens.create}
          </Button>
        </div>
      </Section>
      {making && <TokenDialog onClose={() => setMaking(false)} />}
    </Page>
  );
}

/** A list of apps that post to a site like this, kept by the people who make them. */
const appList = 'https://indieweb.org/Micropub/Clients';

function FindApps(): ReactElement {
  return (
    <Button
      component="a"
      color="amber.5"
      href={appList}
      target="_blank"
      rel="noopener noreferrer"
      rightSection={<IconExternalLink size={16} aria-hidden="true" />}
    >
      {appsWords.find}
    </Button>
  );
}
