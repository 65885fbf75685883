import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState, type ReactElement } from 'react';
import { useAction } from '../../../client/queries.ts';
import { Confirm } from '../../../ui/confirm.tsx';
import { hostIn } from '../../../ui/plain-text.ts';
import { commonWords } from '../../../ui/words.ts';
import type { FolderSettings } from './folder-rules.ts';
import styles from './site-folder.module.css';
import { publishAllWords as words } from './words.ts';

interface Props {
  /** How many public posts are not in the folder. */
  readonly count: number;
  readonly settings: FolderSettings;
}

/**
 * Offers to publish the posts from before publishing was on. Without such posts, offers to publish posts whose files are
 * missing from the folder.
 */
export function PublishAll({ count, settings }: Props): ReactElement {
  const [asked, setAsked] = useState<number | null>(null);
  const publish = useAction('siteFolder.publishAll');
  const onConfirm = () =>
    publish.mutate(
      {},
      {
        onSuccess: ({ posts }) => {
          setAsked(null);
          const closeButtonProps = { 'aria-label': commonWords.close };
          notifications.show({ message: words.done(posts), closeButtonProps });
        },
      },
    );
  return (
    <div className={styles.part}>
      <Text size="sm" mb="xs">
        {words.count(count)}
      </Text>
      <Button variant="default" size="xs" onClick={() => setAsked(count)}>
        {words.open(count)}
      </Button>
      {asked !== null && (
        <Confirm
          title={words.title(asked, hostIn(settings.baseUrl))}
          action={words.action(asked)}
          color="amber.5"
          busy={publish.isPending}
          error={publish.error}
          onConfirm={onConfirm}
          onClose={() => {
            setAsked(null);
            publish.reset();
          }}
        >
          {words.means(asked, settings)}
        </Confirm>
      )}
    </div>
  );
}
