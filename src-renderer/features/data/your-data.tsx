import { Button, Group, List, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import { useAnswer } from '../../client/queries.ts';
import { restoreHash } from '../../routes.ts';
import { Page, Section } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { BackupCard } from './backup-card.tsx';
import { backupPathId } from './backup-form.tsx';
import { Card } from './card.tsx';
import { ImportPosts } from './import-posts.tsx';
import { LastCopyLine, PathLine } from './last-copy.tsx';
import { Leftovers } from './leftovers.tsx';
import { PathTask } from './path-task.tsx';
import { restoreCardWords } from './restore-words.ts';
import { Outcome, WaitingRestore } from './under-way.tsx';
import { dataWords, exportWords, folderWords, moveWords } from './words.ts';

type Folder = Result<'data.folder'>;

/** The screen for backups, restores, exports and moving. */
export function YourData(): ReactElement {
  const folder = useAnswer('data.folder', {});
  return (
    <Page title={dataWords.title} about={dataWords.about}>
      <Loaded query={folder} what={dataWords.loading}>
        {(data) => <Cards data={data} />}
      </Loaded>
    </Page>
  );
}

/** The restore comes first while there is nothing to back up. */
function Cards({ data }: { data: Folder }): ReactElement {
  const [withSecrets, setWithSecrets] = useState(false);
  const busy = data.progress?.state === 'running';
  const restore = <RestoreCard data={data} />;
  return (
    <>
      {data.waiting && <WaitingRestore waiting={data.waiting} />}
      {data.isNew && <Text>{dataWords.newHere}</Text>}
      {data.isNew && restore}
      <BackupCard {...{ data, busy, withSecrets }} onWithSecrets={setWithSecrets} />
      {!data.isNew && restore}
      <ImportPosts />
      <Card title={exportWords.heading} about={exportWords.about}>
        {data.lastExport && <LastCopyLine what="export" copy={data.lastExport} />}
        <PathTask task="export" words={exportWords} progress={data.progress} busy={busy} />
      </Card>
      <MoveCard
        onBackUp={() => {
          setWithSecrets(true);
          document.getElementById(backupPathId)?.focus();
        }}
      />
      <Section title={folderWords.heading} about={folderWords.about}>
        <div>
          <PathLine what="data" path={data.folder} />
        </div>
        {data.fixed === null ? (
          <details>
            <summary>{folderWords.move}</summary>
            <PathTask task="move" words={folderWords} progress={data.progress} busy={busy} />
          </details>
        ) : (
          <Text size="sm" c="dimmed">
            {data.fixed}
          </Text>
        )}
      </Section>
      <Leftovers />
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
          {...(data.isNew || data.checked ? { color: 'amber.5' } : { variant: 'default' })}
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
          <Button variant="default" size="xs" mt={6} onClick={onBackUp}>
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
