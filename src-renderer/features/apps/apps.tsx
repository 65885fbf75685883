import { Button, Group } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import look from '../../ui/look.module.css';
import { Page, Section } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { AppRow } from './app-row.tsx';
import { TokenDialog } from './token-dialog.tsx';

/** The apps that may act for the owner. */
export function Apps(): ReactElement {
  const apps = useAnswer('apps.list', {});
  const [making, setMaking] = useState(false);
  return (
    <Page title="Apps" about="Apps that are signed in as you, and what each of them may do.">
      <Loaded query={apps} what="your apps">
        {(list) =>
          list.length === 0 ? (
            <Empty>
              No app is signed in yet. Go to an app that offers “sign in with your domain” and enter yours;
              the question then comes up here.
            </Empty>
          ) : (
            <ul className={look.list}>
              {list.map((app) => (
                <AppRow key={app.id} app={app} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <Section
        title="For scripts and simple tools"
        about="Some tools can’t ask to sign in. Give them a token made by hand: it works like a password for what you choose, and only for that."
      >
        <Group>
          <Button
            variant="default"
            leftSection={<IconKey size={16} aria-hidden="true" />}
            onClick={() => setMaking(true)}
          >
            Make a token by hand
          </Button>
        </Group>
      </Section>
      {making && <TokenDialog onClose={() => setMaking(false)} />}
    </Page>
  );
}
