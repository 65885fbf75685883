import { Button, Group, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { LastCopy, ShownFolder } from '../../../src-main/contract/data.ts';
import { useAction, useClient } from '../../client/queries.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { Ago } from '../../ui/moment.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { copyWords } from './words.ts';

/** Shows when the newest backup or export was made, how large it is and where it is. */
export function LastCopyLine({ what, copy }: { what: 'backup' | 'export'; copy: LastCopy }): ReactElement {
  return (
    <div>
      <Text size="sm">
        {what === 'backup' ? copyWords.lastBackup : copyWords.lastExport} <Ago at={copy.madeAt} />,{' '}
        {copyWords.size(copy.bytes, copy.counts)}.{' '}
        {what === 'backup' && (copy.secrets ? copyWords.withSecrets : copyWords.withoutSecrets)}
      </Text>
      {copy.path === null ? (
        <Text size="sm" c="dimmed">
          {copyWords.downloaded}
        </Text>
      ) : (
        <PathLine what={what} path={copy.path} />
      )}
    </div>
  );
}

const showLabels: Record<ShownFolder, string> = {
  backup: copyWords.showBackup,
  export: copyWords.showExport,
  data: copyWords.showData,
};

/** Shows a path, which can be copied, and on a desktop a button that opens its folder. */
export function PathLine({ what, path }: { what: ShownFolder; path: string }): ReactElement {
  const { home } = useClient();
  const show = useAction('desktop.showInFolder');
  return (
    <>
      <Text size="sm" c="dimmed" className={shared.wrap}>
        <Foreign text={path} />
      </Text>
      <Group gap="xs" mt={6}>
        {home === 'desktop' && (
          <Button
            variant="default"
            size="xs"
            aria-label={showLabels[what]}
            loading={show.isPending}
            onClick={() => show.mutate({ what })}
          >
            {copyWords.show}
          </Button>
        )}
        <CopyButton value={path} what={copyWords.thePath[what]} />
      </Group>
      <ErrorNote error={show.error} doing={copyWords.notShown} />
    </>
  );
}
