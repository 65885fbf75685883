import { Button, Group, List, Tabs, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import type { DataTask } from '../../../src-main/contract/data.ts';
import { useAnswer } from '../../client/queries.ts';
import { restoreHash, setFilters, useRoute } from '../../routes.ts';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { BackUpNow, WeeklyBackups } from './back-up.tsx';
import { Card } from './card.tsx';
import styles from './data.module.css';
import { ImportPosts } from './import-posts.tsx';
import { PathLine } from './last-copy.tsx';
import { Leftovers } from './leftovers.tsx';
import { Export, MoveFolder } from './path-task.tsx';
import { restoreCardWords } from './restore-words.ts';
import { Outcome, Underway, WaitingRestore } from './under-way.tsx';
import { dataWords, folderWords, moveWords, tabWords } from './words.ts';

type Folder = Result<'data.folder'>;
type Tab = keyof typeof tabWords;

/** The tab that shows the progress of each kind of work. */
const tabOf: Record<DataTask, Tab> = {
  backup: 'back-up',
  weekly: 'back-up',
  restore: 'back-up',
  export: 'export',
  move: 'move',
};
const isTab = (name: string | null | undefined): name is Tab => Object.hasOwn(tabWords, name ?? '');

/** The screen for backups, restores, imports, exports and moving. */
export function YourData(): ReactElement {
  const folder = useAnswer('data.folder', {});
  return (
    <Page title={dataWords.title} about={dataWords.about}>
      <Loaded query={folder} what={dataWords.loading}>
        {(data) => <DataTabs data={data} />}
      </Loaded>
    </Page>
  );
}

function DataTabs({ data }: { data: Folder }): ReactElement {
  const { filters } = useRoute();
  const tab = isTab(filters['tab']) ? filters['tab'] : 'back-up';
  const open = (name: string | null) => isTab(name) && setFilters('data', { tab: name });
  const [withSecrets, setWithSecrets] = useState(false);
  const [asked, setAsked] = useState(0);
  const { progress, waiting, isNew } = data;
  const busy = progress?.state === 'running';
  const restore = <RestoreCard data={data} />;
  return (
    <>
      {waiting && <WaitingRestore waiting={waiting} />}
      {busy && tabOf[progress.task] !== tab && <Underway progress={progress} />}
      <Tabs value={tab} onChange={open} keepMountedMode="display-none">
        <Tabs.List aria-label={dataWords.tabs} className={styles.tabs}>
          {Object.entries(tabWords).map(([name, label]) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="back-up" className={styles.panel}>
          {isNew && <Text>{dataWords.newHere}</Text>}
          {isNew && restore}
          <BackUpNow {...{ data, busy, withSecrets, asked }} onWithSecrets={setWithSecrets} />
          <WeeklyBackups data={data} />
          {!isNew && restore}
          <Leftovers />
        </Tabs.Panel>
        <Tabs.Panel value="import" className={styles.panel}>
          <ImportPosts />
        </Tabs.Panel>
        <Tabs.Panel value="export" className={styles.panel}>
          <Export data={data} busy={busy} />
        </Tabs.Panel>
        <Tabs.Panel value="move" className={styles.panel}>
          <MoveCard
            onBackUp={() => {
              open('back-up');
              setWithSecrets(true);
              setAsked(asked + 1);
            }}
          />
          <FolderCard data={data} busy={busy} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function RestoreCard({ data }: { data: Folder }): ReactElement {
  return (
    <Card title={restoreCardWords.heading} about={restoreCardWords.about}>
      {data.checked && <Text size="sm">{restoreCardWords.checked}</Text>}
      <div>
        <Button
          component="a"
          href={restoreHash}
          // On a new computer, this is what the owner most likely came for.
          {...(data.isNew ? { color: 'amber.5' } : { variant: 'default' })}
        >
          {data.checked ? restoreCardWords.resume : restoreCardWords.action}
        </Button>
      </div>
      <Outcome tasks={['restore']} progress={data.progress} />
    </Card>
  );
}

/** The way to another computer: the backup and the restore, in their order. */
function MoveCard({ onBackUp }: { onBackUp: () => void }): ReactElement {
  return (
    <Card title={moveWords.heading} about={moveWords.about}>
      <List type="ordered" spacing="sm">
        <List.Item>
          <Text>{moveWords.backUp}</Text>
          <Button color="amber.5" size="xs" mt={6} onClick={onBackUp}>
            {moveWords.backUpAction}
          </Button>
        </List.Item>
        <List.Item>{moveWords.copy}</List.Item>
        <List.Item>{moveWords.restore}</List.Item>
        <List.Item>{moveWords.quit}</List.Item>
      </List>
      <Group gap="sm">
        <Text>{moveWords.isNew}</Text>
        <Button component="a" variant="default" size="xs" href={restoreHash}>
          {moveWords.restoreAction}
        </Button>
      </Group>
    </Card>
  );
}

function FolderCard({ data, busy }: { data: Folder; busy: boolean }): ReactElement {
  return (
    <Card title={folderWords.heading} about={folderWords.about}>
      <div>
        <PathLine what="data" path={data.folder} />
      </div>
      {data.fixed === null ? (
        <details>
          <summary>{folderWords.move}</summary>
          <MoveFolder data={data} busy={busy} />
        </details>
      ) : (
        <Text size="sm" c="dimmed">
          {data.fixed}
        </Text>
      )}
    </Card>
  );
}
