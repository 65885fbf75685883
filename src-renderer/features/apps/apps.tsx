import { Button, Group } from '@mantine/core';
import { IconKey } from '../../ui/icons.ts';
import { useState, type ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import shared from '../../ui/shared.module.css';
import { Page, Section } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { AppRow } from './app-row.tsx';
import { TokenDialog } from './token-dialog.tsx';
import { appsWords } from './words.ts';

/** The apps that can act for the owner. */
export function Apps(): ReactElement {
  const apps = useAnswer('apps.list', {});
  const [making, setMaking] = useState(false);
  return (
    <Page title={appsWords.title} about={appsWords.about}>
      <Loaded query={apps} what={appsWords.list}>
        {(list) =>
          list.length === 0 ? (
            <Empty>{appsWords.empty}</Empty>
          ) : (
            <ul className={shared.list}>
              {list.map((app) => (
                <AppRow key={app.id} app={app} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <Section title={appsWords.tokens.title} about={appsWords.tokens.about}>
        <Group>
          <Button
            variant="default"
            leftSection={<IconKey size={16} aria-hidden="true" />}
            onClick={() => setMaking(true)}
          >
            {appsWords.tokens.create}
          </Button>
        </Group>
      </Section>
      {making && <TokenDialog onClose={() => setMaking(false)} />}
    </Page>
  );
}
