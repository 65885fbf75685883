import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { AppMark } from '../../ui/app-mark.tsx';
import { Address, Foreign } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { Phrase } from '../../ui/phrase.tsx';
import { hostIn } from '../../ui/plain-text.ts';
import styles from './porch.module.css';
import { lightWords } from './words.ts';

/** Whose porch it is: photo, name, and the address that apps know. */
export function OwnerLine({ me }: { me: string }): ReactElement {
  const name = useAnswer('settings.get', {}).data?.profile.name ?? '';
  const photo = useAnswer('profile.photo', {}).data?.dataUrl ?? null;
  return (
    <div className={styles.owner}>
      <AppMark name={name} address={me} logo={photo} large round />
      <div className={shared.rowBody}>
        <Text fw={600} size="lg" lineClamp={2}>
          <Foreign text={name} fallback={hostIn(me)} />
        </Text>
        <Text size="sm" c="dimmed">
          <Phrase text={lightWords.signsInAs} parts={{ me: <Address url={me} /> }} />
        </Text>
      </div>
    </div>
  );
}
